package io.leasehold.zookeeper;

import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** The requests of ZooKeeper's protocol on the wire, counted but for pings. */
final class Requests implements Framing {
  private static final int EVENT = -1;
  private static final int PING = -2;

  private final AtomicInteger count = new AtomicInteger();

  int count() {
    return count.get();
  }

  @Override
  public Scanner scanner(Direction direction) {
    return new Frames(direction == Direction.TO_SERVER);
  }

  /** A length of four bytes, and so many others, which begin with the number of the request. */
  private final class Frames implements Scanner {
    private final boolean areRequests;
    private final ByteBuffer head = ByteBuffer.allocate(8);
    private int left;

    /** The first one, to connect, has no number. */
    private boolean isFirst = true;

    Frames(boolean areRequests) {
      this.areRequests = areRequests;
    }

    @Override
    public boolean ends(byte next) {
      if (head.position() == Integer.BYTES) {
        left = head.getInt(0);
      }
      if (head.hasRemaining()) {
        head.put(next);
      }
      if (head.position() <= Integer.BYTES || --left > 0) {
        return false;
      }
      int number = isFirst ? 0 : head.getInt(Integer.BYTES);
      isFirst = false;
      head.clear();
      if (areRequests && number != PING) {
        count.incrementAndGet();
      }
      return number != EVENT;
    }
  }
}
