package io.leasehold.idempotency;

/** What the work knows of its claim. Thread-safe. */
public interface Claim {
  /**
   * Higher than that of every earlier claim of the key, and lower than that of every later one.
   * Pass it on where the work writes, so that a write of a caller that was paused can be refused.
   */
  long token();

  /**
   * Whether the claim is still this caller's, by this process's clock; without a request. Ask
   * before an effect that cannot be taken back.
   */
  boolean isHeld();
}
