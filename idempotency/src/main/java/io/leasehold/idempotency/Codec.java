package io.leasehold.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Writes results as bytes and reads them again. Thread-safe.
 *
 * @param <T> what the work yields
 */
public interface Codec<T> {
  /** Strings, as UTF-8; one with an unpaired surrogate is refused. */
  Codec<String> TEXT =
      new Codec<>() {
        @Override
        public byte[] encode(String value) throws CharacterCodingException {
          ByteBuffer bytes =
              StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(value));
          byte[] exact = new byte[bytes.remaining()];
          bytes.get(exact);
          return exact;
        }

        @Override
        public String decode(byte[] bytes) {
          return new String(bytes, StandardCharsets.UTF_8);
        }
      };

  /** Bytes as they are. */
  Codec<byte[]> BYTES =
      new Codec<>() {
        @Override
        public byte[] encode(byte[] value) {
          return value;
        }

        @Override
        public byte[] decode(byte[] bytes) {
          return bytes;
        }
      };

  /** Writes a result. */
  byte[] encode(T value) throws Exception;

  /** Reads what {@link #encode} wrote, also that of an earlier release of the application. */
  T decode(byte[] bytes) throws Exception;
}
