package io.leasehold.jdbc;

import io.leasehold.internal.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Stands until it is moved. It has no wall clock: to read that fails. */
final class ManualClock implements Clock {
  private final AtomicLong nanos = new AtomicLong(Duration.ofDays(3).toNanos());

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public long wallMillis() {
    throw new AssertionError("the wall clock was read");
  }

  void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }
}
