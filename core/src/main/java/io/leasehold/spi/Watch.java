package io.leasehold.spi;

/** The answer to {@link LockStore#watch}: the watch stands. */
public enum Watch {
  /** The lock may have come free before the watch stood: the engine attempts once more. */
  ATTEMPT_AGAIN,
  /**
   * The store reports every change since the ticket's last attempt: either it saw, once the watch
   * stood, that the ticket must wait, or the watch stood before that attempt.
   */
  NOTHING_MISSED
}
