package io.leasehold.spi.support;

/** The two clocks of a process. Only differences between readings have a meaning. */
public interface Clock {
  /** The monotonic clock, in nanoseconds. It decides validity, deadlines and intervals. */
  long nanos();

  /**
   * The wall clock, in milliseconds. It only shows that the host was suspended, which stops the
   * monotonic clock.
   */
  long wallMillis();
}
