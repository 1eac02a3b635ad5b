package io.leasehold.idempotency.spi;

import java.time.Duration;

/**
 * Asks for a claim.
 *
 * @param key what is to be claimed
 * @param owner the id of the caller, used for this claim alone: 32 hexadecimal digits
 * @param fingerprint of what is to be done, at most 64 hexadecimal digits; empty if there is none
 * @param intent what is done if there is a claim that lapsed
 * @param life for how long the claim lives without being extended
 * @param keep for how long it is kept after that
 */
public record ClaimRequest(
    String key, String owner, String fingerprint, Intent intent, Duration life, Duration keep) {
  /** What a request may do. */
  public enum Intent {
    /** Claim the key if nothing is known of it. */
    CLAIM,
    /** Also take over a claim that has lapsed. */
    TAKE_OVER,
    /** Claim nothing. */
    LOOK
  }
}
