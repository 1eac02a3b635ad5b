package io.leasehold.idempotency.spi;

import java.time.Duration;

/** The answer of a store to a {@link ClaimRequest}. */
public sealed interface ClaimAnswer {
  /**
   * The caller has the claim.
   *
   * @param token the token of the claim
   * @param takenOver whether the caller took over a lapsed claim, whose work may have been done
   */
  record Claimed(long token, boolean takenOver) implements ClaimAnswer {}

  /**
   * Another caller has the claim.
   *
   * @param remaining how much longer the claim lives unless it is extended
   */
  record Running(Duration remaining) implements ClaimAnswer {}

  /**
   * The work was done.
   *
   * @param outcome the outcome of the work
   */
  record Finished(Outcome outcome) implements ClaimAnswer {}

  /**
   * The claim has lapsed: the work may have been done or not.
   *
   * @param token the token of the lapsed claim
   */
  record Lapsed(long token) implements ClaimAnswer {}

  /** The key was claimed with another fingerprint. */
  record OtherFingerprint() implements ClaimAnswer {}

  /** The store does not know the key. Only an answer to {@link ClaimRequest.Intent#LOOK}. */
  record Absent() implements ClaimAnswer {}
}
