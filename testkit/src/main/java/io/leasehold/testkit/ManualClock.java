package io.leasehold.testkit;

import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves only when told to. Thread-safe. */
public final class ManualClock implements Clock {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong wallNanos = new AtomicLong();

  /** A clock that stands at zero. */
  public ManualClock() {}

  /** Lets time pass. */
  public void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
    wallNanos.addAndGet(time.toNanos());
  }

  /**
   * Lets time pass as on a host that sleeps, or whose wall clock is set: the wall clock moves, the
   * monotonic one does not.
   *
   * @param time how far; negative sets the wall clock back
   */
  public void advanceWall(Duration time) {
    wallNanos.addAndGet(time.toNanos());
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public long wallMillis() {
    return Math.floorDiv(wallNanos.get(), 1_000_000L);
  }
}
