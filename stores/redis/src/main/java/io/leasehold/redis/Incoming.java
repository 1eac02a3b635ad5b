package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Bytes that a server has sent, given out answer by answer. Not thread-safe. */
final class Incoming {
  private static final int USUAL = 8 * 1024;

  private byte[] bytes = new byte[USUAL];

  /** Where the next answer begins. */
  private int from;

  /** Where it ends, if all of it is there. */
  private int end;

  private int to;

  /**
   * Takes what has come, or a part of it.
   *
   * @throws JedisConnectionException if nothing will come any more
   */
  void take(ReadableByteChannel channel) throws IOException {
    makeRoom();
    int count = channel.read(ByteBuffer.wrap(bytes, to, bytes.length - to));
    if (count < 0) {
      throw new JedisConnectionException("the server ended the connection");
    }
    to += count;
  }

  private void makeRoom() {
    int left = to - from;
    if (left == 0 && bytes.length > USUAL) {
      bytes = new byte[USUAL];
    } else if (to == bytes.length) {
      byte[] larger = left > bytes.length / 2 ? new byte[2 * bytes.length] : bytes;
      System.arraycopy(bytes, from, larger, 0, left);
      bytes = larger;
    } else if (left > 0) {
      return;
    }
    from = 0;
    end = 0;
    to = left;
  }

  /** Whether all of the next answer is there, so that reading it does not have to wait. */
  boolean hasAnswer() {
    int after = after(from);
    end = Math.max(from, after);
    return after >= 0;
  }

  /** Where the value ends that begins there, as RESP2 writes it; -1 if its end is not there yet. */
  private int after(int begin) {
    int line = begin + 1;
    while (line < to && bytes[line - 1] != '\r') {
      line++;
    }
    if (line >= to) {
      return -1;
    }
    int next = line + 1;
    byte type = bytes[begin];
    if (type == '$') {
      long size = number(begin + 1, line - 1);
      long last = size < 0 ? next : next + size + 2;
      return last <= to ? (int) last : -1;
    }
    for (long left = type == '*' ? number(begin + 1, line - 1) : 0; left > 0 && next >= 0; left--) {
      next = after(next);
    }
    return next;
  }

  private long number(int begin, int end) {
    try {
      return Long.parseLong(new String(Arrays.copyOfRange(bytes, begin, end), US_ASCII));
    } catch (NumberFormatException e) {
      throw new JedisConnectionException("it does not answer as Redis does", e);
    }
  }

  /** Reads of the answer that {@link #hasAnswer} has found, as an {@code InputStream} does. */
  int read(byte[] target, int offset, int most) {
    int count = Math.min(most, end - from);
    System.arraycopy(bytes, from, target, offset, count);
    from += count;
    return count == 0 && most > 0 ? -1 : count;
  }
}
