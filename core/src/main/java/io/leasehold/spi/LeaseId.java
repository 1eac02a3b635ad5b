package io.leasehold.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The id of one acquisition, made by the client: every attempt, renewal and release of the
 * acquisition carries it. 128 bits, single-use.
 *
 * @param client random bits of the client that made it
 * @param sequence rises within that client, from a random start
 */
public record LeaseId(long client, long sequence) {
  private static final HexFormat HEX = HexFormat.of();

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    byte[] bits = ByteBuffer.allocate(2 * Long.BYTES).putLong(client).putLong(sequence).array();
    return HEX.formatHex(bits);
  }

  /**
   * Reads what {@link #toString()} wrote.
   *
   * @throws IllegalArgumentException if the text is not 32 hexadecimal digits
   */
  public static LeaseId parse(String text) {
    if (text.length() != 32) {
      throw new IllegalArgumentException(
          "a lease id has 32 hexadecimal digits, but this has " + text.length());
    }
    return parse(text.getBytes(StandardCharsets.ISO_8859_1), 0);
  }

  /**
   * As {@link #parse(String)}, from the 32 digits that begin there.
   *
   * @param digits in ASCII
   * @throws IllegalArgumentException if these are not 32 hexadecimal digits
   */
  public static LeaseId parse(byte[] digits, int from) {
    if (digits.length - from < 32) {
      throw new IllegalArgumentException(
          "a lease id has 32 hexadecimal digits, but this has " + (digits.length - from));
    }
    return new LeaseId(number(digits, from), number(digits, from + 16));
  }

  /** Without a call for each digit: a waiter reads an id before it knows that it has the lock. */
  private static long number(byte[] digits, int from) {
    long number = 0;
    for (int i = from; i < from + 16; i++) {
      int digit = digits[i];
      if (digit >= '0' && digit <= '9') {
        digit -= '0';
      } else if (digit >= 'a' && digit <= 'f') {
        digit -= 'a' - 10;
      } else if (digit >= 'A' && digit <= 'F') {
        digit -= 'A' - 10;
      } else {
        throw new IllegalArgumentException("a lease id has hexadecimal digits only");
      }
      number = number << 4 | digit;
    }
    return number;
  }

  // Each request looks ids up in several maps; what a record has by itself is slow until it is
  // warm.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeaseId id && id.sequence == sequence && id.client == client;
  }

  @Override
  public int hashCode() {
    // In one call: every lock is looked up by its id a dozen times
    long both = client * 31 + sequence;
    return (int) (both ^ (both >>> 32));
  }
}
