package io.leasehold.benchmarks.runner;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.locks.LockSupport;

/** Reads the clock, for the others. */
public final class Clock {
  private Clock() {}

  /**
   * The host's monotonic clock: on Linux {@code CLOCK_MONOTONIC}, which all processes of a host
   * share. {@link ChildProcess} makes sure of it.
   */
  public static long nanos() {
    return System.nanoTime();
  }

  /** The day in UTC. */
  public static LocalDate today() {
    return LocalDate.now(ZoneOffset.UTC);
  }

  /** Waits, without using a processor. A lock may have left a permit to this thread's parking. */
  public static void pause(Duration duration) {
    long end = nanos() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - nanos()) {
      LockSupport.parkNanos(left);
    }
  }
}
