package io.leasehold.spi;

/** The answer to {@link LockStore#watch}: the watch stands. */
public enum Watch {
  /** The lease may have come free before the watch stood: the engine attempts once more. */
  ATTEMPT_AGAIN,
  /**
   * Whatever changes from the ticket's last attempt on will be reported: the store saw, once the
   * watch stood, that the ticket must wait, or the watch stood before that attempt.
   */
  NOTHING_MISSED
}
