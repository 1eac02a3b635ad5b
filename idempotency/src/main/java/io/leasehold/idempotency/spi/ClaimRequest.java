package io.leasehold.idempotency.spi;

import java.time.Duration;

/**
 * A request for a claim.
 *
 * @param key the key to claim
 * @param owner the id of the caller, used for this claim only: 32 hexadecimal digits
 * @param fingerprint the fingerprint of the request, at most 64 hexadecimal digits; empty if there
 *     is none
 * @param intent what the request may do
 * @param life how long the claim lives unless it is extended
 * @param keep how long the store keeps the claim after that
 */
public record ClaimRequest(
    String key, String owner, String fingerprint, Intent intent, Duration life, Duration keep) {
  /** What a request may do. */
  public enum Intent {
    /** Claim the key if the store does not know it. */
    CLAIM,
    /** Also take over a claim that has lapsed. */
    TAKE_OVER,
    /** Claim nothing. */
    LOOK
  }
}
