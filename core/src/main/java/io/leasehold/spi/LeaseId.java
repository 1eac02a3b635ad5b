package io.leasehold.spi;

import java.nio.ByteBuffer;
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
    return new LeaseId(
        HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
  }

  // Each request looks ids up in several maps; what a record has by itself is slow until it is
  // warm.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeaseId id && id.sequence == sequence && id.client == client;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(client) * 31 + Long.hashCode(sequence);
  }
}
