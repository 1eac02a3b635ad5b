package io.leasehold.spi;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A client-made id of one acquisition: the ticket under which it attempts, waits, renews and
 * releases. 128 bits, single-use.
 *
 * @param client random bits of the client that made it
 * @param sequence rises within that client, from a random start
 */
public record LeaseId(long client, long sequence) {
  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    return hex(client) + hex(sequence);
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
    byte[] digits = text.getBytes(StandardCharsets.ISO_8859_1);
    return new LeaseId(bits(digits, 0), bits(digits, 16));
  }

  // Each request looks ids up in several maps, and each message has one to be read. What a record
  // has by itself, and what reads numbers of any radix, is slow until it is warm.

  private static long bits(byte[] digits, int from) {
    long bits = 0;
    for (int i = from; i < from + 16; i++) {
      int c = digits[i];
      int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      if (digit < 0 || digit > 15 || (c > '9' && digit < 10)) {
        throw new NumberFormatException(
            "a lease id has 32 hexadecimal digits, but this has the character " + (char) (c & 255));
      }
      bits = bits << 4 | digit;
    }
    return bits;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeaseId id && id.sequence == sequence && id.client == client;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(client) * 31 + Long.hashCode(sequence);
  }

  private static String hex(long bits) {
    String digits = Long.toHexString(bits);
    return "0".repeat(16 - digits.length()) + digits;
  }
}
