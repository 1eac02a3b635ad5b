package io.leasehold.internal;

import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How long a lease certainly stands, by one answer of the store. Counted from the sending of the
 * request that was answered, plus the remaining life stated in the answer, minus what two clocks
 * may differ by.
 *
 * @param sent when the request was sent, monotonic
 * @param sentWall the same on the wall clock, in milliseconds
 * @param begins when its holder began to count on it, monotonic: renewal and jeopardy come after
 *     parts of the time from then on
 * @param until when the validity ends, monotonic
 */
record Validity(long sent, long sentWall, long begins, long until) {
  private static final long DRIFT_PERCENT = 1;
  private static final long DRIFT_NANOS = 2_000_000;
  private static final long SUSPENDED_MILLIS = 1_000;

  static Validity of(long sent, long sentWall, Duration remaining) {
    return of(sent, sentWall, sent, remaining);
  }

  /** By a message of the store: counted from an answer that is {@code age} old by now. */
  static Validity told(Clock clock, Supplier<Duration> age, Duration remaining) {
    // The clocks first: what comes between makes the lease shorter, never longer
    long now = clock.nanos();
    long wall = clock.wallMillis();
    long old = Durations.nanos(age.get());
    return of(now - old, wall - old / 1_000_000, now, remaining);
  }

  private static Validity of(long sent, long sentWall, long begins, Duration remaining) {
    long life = Durations.nanos(remaining);
    long until = sent + life - life / 100 * DRIFT_PERCENT - DRIFT_NANOS;
    return new Validity(sent, sentWall, begins, until);
  }

  boolean isOver(long now) {
    return now - until >= 0;
  }

  /** How long it is from when its holder began to count on it. */
  long life() {
    return until - begins;
  }

  /**
   * Whether the host seems to have been suspended since: the wall clock ran ahead of the monotonic
   * one. That is read last: a pause between the two must not look like it.
   */
  boolean isInDoubt(Clock clock) {
    long wall = clock.wallMillis();
    return wall - sentWall > (clock.nanos() - sent) / 1_000_000 + SUSPENDED_MILLIS;
  }
}
