package io.leasehold.internal;

import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A point on the monotonic clock by which something must have ended.
 *
 * @param at the point; meaningless if there is none
 * @param exists whether there is one
 */
record Deadline(long at, boolean exists) {
  /** No deadline. */
  static final Deadline NONE = new Deadline(0, false);

  private static final long FOREVER = Long.MAX_VALUE / 4;

  static Deadline in(Duration d, long now) {
    return new Deadline(now + Durations.nanos(d), true);
  }

  /** None if there is no duration. */
  static Deadline in(Optional<Duration> d, long now) {
    return d.isPresent() ? in(d.get(), now) : NONE;
  }

  static Deadline earlier(Deadline a, Deadline b) {
    return !b.exists || (a.exists && a.at - b.at <= 0) ? a : b;
  }

  /** Nanoseconds left; not positive once it has passed. */
  long left(long now) {
    return exists ? at - now : FOREVER;
  }

  static Deadline later(Deadline a, Deadline b) {
    return !b.exists || (a.exists && a.at - b.at >= 0) ? a : b;
  }

  boolean isAhead(long now) {
    return exists && at - now > 0;
  }

  boolean hasPassed(long now) {
    return exists && at - now <= 0;
  }

  /** Waits until it is done or this has passed, also while interrupted; keeps the flag. */
  void await(CompletableFuture<?> future, Engine engine) {
    Thread me = Thread.currentThread();
    CompletableFuture<?> unused =
        future.whenComplete((value, thrown) -> engine.scheduler.unpark(me));
    boolean interrupted = false;
    while (!future.isDone() && !hasPassed(engine.clock.nanos())) {
      engine.scheduler.park(future, left(engine.clock.nanos()));
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      me.interrupt();
    }
  }
}
