package io.leasehold.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Bytes that a server has sent, given out answer by answer. Not thread-safe. */
final class Incoming {
  private static final int USUAL = 8 * 1024;

  /** A number with so many fits. */
  private static final int MOST_DIGITS = 18;

  /** A direct one: the system writes into no other, and Java would copy. */
  private ByteBuffer bytes = ByteBuffer.allocateDirect(USUAL);

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
    int count = channel.read(bytes.limit(bytes.capacity()).position(to));
    if (count < 0) {
      throw new JedisConnectionException("the server ended the connection");
    }
    to += count;
  }

  private void makeRoom() {
    int left = to - from;
    int size = bytes.capacity();
    if (left == 0 && size > USUAL) {
      bytes = ByteBuffer.allocateDirect(USUAL);
    } else if (to == size) {
      ByteBuffer old = bytes.limit(to).position(from);
      bytes = left > size / 2 ? ByteBuffer.allocateDirect(2 * size).put(old) : bytes.compact();
    } else if (left > 0) {
      return;
    }
    from = 0;
    end = 0;
    to = left;
  }

  boolean isEmpty() {
    return from == to;
  }

  /** Whether all of the next answer is there, or the rest of one that was read in part. */
  boolean hasAnswer() {
    if (end <= from) {
      end = Math.max(from, after(from));
    }
    return end > from;
  }

  /**
   * Takes the next answer if it is one whose last part is a text, all before that is this, and all
   * of it is there.
   */
  byte @Nullable [] textAfter(byte[] head) {
    int begin = from + head.length;
    if (begin >= to || bytes.get(begin) != '$' || !startsWith(head)) {
      return null;
    }
    int after = after(begin);
    int first = lineFeed(begin) + 1;
    int size = after - 2 - first;
    if (size < 0) {
      return null;
    }
    byte[] text = new byte[size];
    // One by one: that is compiled soon, and what copies them together enters twenty methods
    for (int i = 0; i < size; i++) {
      text[i] = bytes.get(first + i);
    }
    from = after;
    return text;
  }

  private boolean startsWith(byte[] head) {
    for (int i = 0; i < head.length; i++) {
      if (bytes.get(from + i) != head[i]) {
        return false;
      }
    }
    return true;
  }

  /** Where the value ends that begins there, as RESP2 writes it; -1 if its end is not there yet. */
  private int after(int begin) {
    int line = lineFeed(begin);
    if (line >= to) {
      return -1;
    }
    int next = line + 1;
    byte type = bytes.get(begin);
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

  /** Where the line ends that begins there, if its end is there; at the end of all that is. */
  private int lineFeed(int begin) {
    int line = begin + 1;
    while (line < to && bytes.get(line - 1) != '\r') {
      line++;
    }
    return line;
  }

  private long number(int begin, int end) {
    boolean negative = begin < end && bytes.get(begin) == '-';
    int first = negative ? begin + 1 : begin;
    long number = 0;
    for (int i = first; i < end; i++) {
      int digit = bytes.get(i) - '0';
      if (digit < 0 || digit > 9) {
        throw foreign();
      }
      number = number * 10 + digit;
    }
    if (first == end || end - first > MOST_DIGITS) {
      throw foreign();
    }
    return negative ? -number : number;
  }

  private static JedisConnectionException foreign() {
    return new JedisConnectionException("it does not answer as Redis does");
  }

  /** Reads of the answer that {@link #hasAnswer} has found, as an {@code InputStream} does. */
  int read(byte[] target, int offset, int most) {
    int count = Math.min(most, end - from);
    bytes.get(from, target, offset, count);
    from += count;
    return count == 0 && most > 0 ? -1 : count;
  }
}
