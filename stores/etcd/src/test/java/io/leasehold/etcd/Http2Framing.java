package io.leasehold.etcd;

import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;

/**
 * The requests of HTTP/2 that have an end: from the headers to the last frame of a stream, in each
 * direction. A watch has no end; the next request takes it along. Frames about the connection
 * belong to none.
 */
final class Http2Framing implements Framing {
  private static final int PREFACE = 24;
  private static final int HEADER = 9;
  private static final int TYPE = 3;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int END_STREAM = 1;

  @Override
  public Scanner scanner(Direction direction) {
    return new Frames(direction == Direction.TO_SERVER ? PREFACE : 0);
  }

  private static final class Frames implements Scanner {
    private final int[] header = new int[HEADER];
    private int skip;
    private int read;
    private int left;

    Frames(int skip) {
      this.skip = skip;
    }

    /** The three bytes of the frame's length, which come before, tell the server nothing. */
    @Override
    public boolean begins(byte next) {
      return read == TYPE && next == HEADERS;
    }

    @Override
    public boolean ends(byte next) {
      if (skip > 0) {
        skip--;
        return false;
      }
      if (read < HEADER) {
        header[read++] = next & 0xff;
        left = header[0] << 16 | header[1] << 8 | header[2];
        return read == HEADER && left == 0 && frame();
      }
      return --left == 0 && frame();
    }

    /** A frame is over. */
    private boolean frame() {
      read = 0;
      int type = header[TYPE];
      return (type == DATA || type == HEADERS) && (header[4] & END_STREAM) != 0;
    }
  }
}
