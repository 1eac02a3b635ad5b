package io.leasehold.idempotency;

import java.time.Duration;

/**
 * What a call does that finds another one with the same key running. Immutable.
 *
 * @param way how it behaves
 * @param atMost for how long it waits
 */
public record WhileRunning(Way way, Duration atMost) {
  /** How a call behaves. */
  public enum Way {
    /** It throws {@link AlreadyRunningException} at once. */
    FAIL,
    /** It waits for the other to end; if that leaves nothing to replay it does the work itself. */
    WAIT,
    /** It waits for what the other yields, and never does the work itself. */
    JOIN
  }

  /**
   * Checks it.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public WhileRunning {
    if (atMost.isNegative()) {
      throw new IllegalArgumentException("the longest wait is negative: " + atMost);
    }
  }

  /** {@link Way#FAIL}. */
  public static WhileRunning fail() {
    return new WhileRunning(Way.FAIL, Duration.ZERO);
  }

  /** {@link Way#WAIT}, then {@link AlreadyRunningException}. */
  public static WhileRunning await(Duration atMost) {
    return new WhileRunning(Way.WAIT, atMost);
  }

  /**
   * {@link Way#JOIN}, then {@link AlreadyRunningException}; also if the other ends without anything
   * that can be replayed.
   */
  public static WhileRunning join(Duration atMost) {
    return new WhileRunning(Way.JOIN, atMost);
  }
}
