package io.leasehold.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * The commands that one connection is to send, as RESP writes them. Jedis makes ten calls or so for
 * each argument, and in a process that has slept each is slow. Not thread-safe.
 */
final class Outgoing {
  private static final int USUAL = 1024;

  /** A buffer that is larger is not kept. */
  private static final int MOST_KEPT = 64 * 1024;

  /** A type, a number, and two line ends: one of them that of the text which follows. */
  private static final int LINE = 16;

  private final OutputStream to;
  private byte[] bytes = new byte[USUAL];
  private int size;

  Outgoing(OutputStream to) {
    this.to = to;
  }

  void add(Command command) {
    List<byte[]> arguments = command.arguments();
    int count = arguments.size();
    line('*', 1 + count, 0);
    add(command.name().bytes());
    for (int i = 0; i < count; i++) {
      add(arguments.get(i));
    }
  }

  private void add(byte[] text) {
    line('$', text.length, text.length);
    System.arraycopy(text, 0, bytes, size, text.length);
    size += text.length;
    bytes[size++] = '\r';
    bytes[size++] = '\n';
  }

  /** A line, behind which there is room for a text of so many bytes. */
  private void line(char type, int number, int room) {
    int needed = size + LINE + room;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    bytes[size++] = (byte) type;
    int power = 1;
    while (number / power > 9) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      bytes[size++] = (byte) ('0' + number / power % 10);
    }
    bytes[size++] = '\r';
    bytes[size++] = '\n';
  }

  /** Sends them together. What cannot be sent is not kept. */
  void send() throws IOException {
    int count = size;
    size = 0;
    if (count > 0) {
      to.write(bytes, 0, count);
    }
    if (bytes.length > MOST_KEPT) {
      bytes = new byte[USUAL];
    }
  }
}
