package io.leasehold.cli.once;

import io.leasehold.cli.once.Kept.Extent;
import io.leasehold.idempotency.Codec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The outcome of a command.
 *
 * @param exitCode what it returned; 128 + n if signal n ended it
 * @param begin where and when it began
 * @param out what it wrote to stdout
 * @param err what it wrote to stderr
 */
public record Recorded(int exitCode, Begin begin, Kept out, Kept err) {
  /** How it is stored: a version, the code, the beginning, the streams. */
  static final Codec<Recorded> CODEC =
      new Codec<>() {
        @Override
        public byte[] encode(Recorded recorded) throws IOException {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          try (DataOutputStream data = new DataOutputStream(bytes)) {
            data.writeByte(VERSION);
            data.writeInt(recorded.exitCode);
            data.writeUTF(recorded.begin.asText());
            write(data, recorded.out);
            write(data, recorded.err);
          }
          return bytes.toByteArray();
        }

        @Override
        public Recorded decode(byte[] bytes) throws IOException {
          try (DataInputStream data = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = data.readByte();
            if (version != VERSION) {
              throw new IOException("another version of leasehold recorded it (" + version + ")");
            }
            return new Recorded(
                data.readInt(),
                Begin.parse(data.readUTF())
                    .orElseThrow(() -> new IOException("it has no beginning")),
                read(data),
                read(data));
          }
        }
      };

  /** The most bytes that a record has. */
  static final int MOST_BYTES = 2 * Tee.MOST + (1 << 16);

  private static final int VERSION = 1;

  private static void write(DataOutputStream data, Kept kept) throws IOException {
    data.writeUTF(kept.extent().name());
    data.writeInt(kept.bytes().length);
    data.write(kept.bytes());
  }

  private static Kept read(DataInputStream data) throws IOException {
    Extent extent = Extent.valueOf(data.readUTF());
    byte[] bytes = new byte[data.readInt()];
    data.readFully(bytes);
    return new Kept(extent, bytes);
  }
}
