package io.leasehold.idempotency;

/**
 * The key was used before for another request: a client that uses a key twice, or two that chose
 * the same. Nothing was done. Over HTTP: 422.
 */
public final class FingerprintMismatchException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  FingerprintMismatchException(String message) {
    super(message, null);
  }
}
