package io.leasehold.internal;

import java.time.Duration;

/**
 * How long a lease certainly stands, by one answer of the store. Counted from the sending of the
 * request that was answered, plus the remaining life stated in the answer, minus what two clocks
 * may differ by.
 *
 * @param sent when the request was sent, monotonic
 * @param sentWall the same on the wall clock, in milliseconds
 * @param until when the validity ends, monotonic
 */
record Validity(long sent, long sentWall, long until) {
  private static final long DRIFT_PERCENT = 1;
  private static final long DRIFT_NANOS = 2_000_000;
  private static final long SUSPENDED_MILLIS = 1_000;

  static Validity of(long sent, long sentWall, Duration remaining) {
    long life = Durations.nanos(remaining);
    return new Validity(sent, sentWall, sent + life - life / 100 * DRIFT_PERCENT - DRIFT_NANOS);
  }

  boolean isOver(long now) {
    return now - until >= 0;
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
