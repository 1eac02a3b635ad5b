package io.leasehold.idempotency.spi;

import java.time.Duration;

/** What a store says to a {@link ClaimRequest}. */
public sealed interface ClaimAnswer {
  /**
   * The claim is the caller's.
   *
   * @param token its token
   * @param takenOver whether it took over a claim that had lapsed, whose work may have been done
   */
  record Claimed(long token, boolean takenOver) implements ClaimAnswer {}

  /**
   * Another has it.
   *
   * @param remaining how long it lives unless it is extended
   */
  record Running(Duration remaining) implements ClaimAnswer {}

  /**
   * The work was done.
   *
   * @param outcome what came of it
   */
  record Finished(Outcome outcome) implements ClaimAnswer {}

  /**
   * The claim has lapsed: the work may have been done or not.
   *
   * @param token its token
   */
  record Lapsed(long token) implements ClaimAnswer {}

  /** The key was claimed for other work. */
  record OtherFingerprint() implements ClaimAnswer {}

  /** Nothing is known of the key: only to {@link ClaimRequest.Intent#LOOK}. */
  record Absent() implements ClaimAnswer {}
}
