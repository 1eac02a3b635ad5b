package io.leasehold.jdbc;

import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Stands until it is moved. Its wall clock shows when it was set to, and counts who reads it. */
final class ManualClock implements Clock {
  private final AtomicLong nanos = new AtomicLong(Duration.ofDays(3).toNanos());

  private final AtomicLong wallMillis = new AtomicLong();
  private final AtomicInteger wallReads = new AtomicInteger();

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public long wallMillis() {
    wallReads.incrementAndGet();
    return wallMillis.get();
  }

  /** How often the wall clock was read. */
  int wallReads() {
    return wallReads.get();
  }

  void setWall(long millis) {
    wallMillis.set(millis);
  }

  void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}
