package io.leasehold.idempotency;

/**
 * The work was done, but its claim had lapsed and was taken over or forgotten meanwhile: this
 * process was paused for longer than the life of the claim, or was cut off from the store. The
 * result of the work was not stored and has overwritten nothing; another call may have done the
 * same work.
 */
public final class StaleClaimException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  StaleClaimException(String message) {
    super(message, null);
  }
}
