package io.leasehold.idempotency;

/** What a call does that finds an earlier one that began and never ended. */
public enum OnUnknown {
  /** It throws {@link UnknownOutcomeException}, and so does every later one. */
  FAIL,
  /** It takes the claim over and does the work again. Right for work that may be done twice. */
  RETRY
}
