package io.leasehold.idempotency;

/** What a call does after an earlier call that began and never ended. */
public enum OnUnknown {
  /** The call throws {@link UnknownOutcomeException}, and so does every later one. */
  FAIL,
  /**
   * The call takes the claim over and runs the work again. Use it for work that may be done twice.
   */
  RETRY
}
