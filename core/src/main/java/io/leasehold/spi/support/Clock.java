package io.leasehold.spi.support;

/** The two clocks. Only differences of their readings mean anything. */
public interface Clock {
  /** Monotonic, in nanoseconds: decides validity, deadlines and intervals. */
  long nanos();

  /**
   * Wall clock, in milliseconds: only to notice that the host was suspended, which stops the
   * monotonic clock.
   */
  long wallMillis();
}
