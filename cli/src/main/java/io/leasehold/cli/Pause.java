package io.leasehold.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Waiting for what gives no sign: processes that are not this one's children. The only place that
 * does.
 */
final class Pause {
  private Pause() {}

  /** Waits about this long, or shorter. */
  static void of(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }
}
