package io.leasehold.idempotency;

import java.time.Duration;

/**
 * What a call does while another call with the same key runs. Immutable.
 *
 * @param way how the call behaves
 * @param atMost the longest wait
 */
public record WhileRunning(Way way, Duration atMost) {
  /** The behaviours of a call. */
  public enum Way {
    /** The call throws {@link AlreadyRunningException} at once. */
    FAIL,
    /**
     * The call waits for the other one to end; if that leaves nothing to replay, it runs the work.
     */
    WAIT,
    /** The call waits for the result of the other one, and never runs the work. */
    JOIN
  }

  /**
   * Rejects a negative time.
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
   * {@link Way#JOIN}, then {@link AlreadyRunningException}, also if the other call ends without a
   * result to replay.
   */
  public static WhileRunning join(Duration atMost) {
    return new WhileRunning(Way.JOIN, atMost);
  }
}
