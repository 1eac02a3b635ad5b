package io.leasehold.idempotency;

/**
 * The key was used before for another request: a client used it twice, or two clients chose the
 * same key. This call did nothing. Over HTTP: 422.
 */
public final class FingerprintMismatchException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  FingerprintMismatchException(String message) {
    super(message, null);
  }
}
