package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.spi.support.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * How a contender takes the failures of the store: the last one, how many in a row, and when to try
 * again.
 */
final class Backoff {
  private static final long FIRST_NANOS = 25_000_000;
  private static final long LONGEST_NANOS = 500_000_000;

  private int failures;
  private @Nullable StoreException last;
  private Scheduler.@Nullable Timer timer;

  /** The failure that no answer has followed yet. */
  @Nullable StoreException last() {
    return last;
  }

  /** Takes a failure; true for the first in a row. */
  boolean failed(StoreException failure) {
    last = failure;
    return ++failures == 1;
  }

  void answered() {
    last = null;
    failures = 0;
  }

  /** Runs {@code again} after a while that grows with each failure. */
  void schedule(Scheduler scheduler, Runnable again) {
    long delay = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(failures, 8));
    timer = scheduler.schedule(again, delay);
  }

  void cancel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
