package io.leasehold.idempotency;

/** The claim of a call on its key, as its work sees it. Thread-safe. */
public interface Claim {
  /**
   * The token of the claim: higher than that of every earlier claim of the key, and lower than that
   * of every later one. Send it with each write, so that the data can refuse the write of a caller
   * that was paused.
   */
  long token();

  /**
   * Whether this caller still has the claim, by the clock of this process; uses no network. Check
   * it before an effect that cannot be undone.
   */
  boolean isHeld();
}
