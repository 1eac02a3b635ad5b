package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of the exceptions of this module about a key. If the store fails, the calls throw
 * {@link io.leasehold.StoreException} instead.
 */
public abstract sealed class IdempotencyException extends RuntimeException
    permits AlreadyRunningException,
        FingerprintMismatchException,
        UnknownOutcomeException,
        ReplayedException,
        ResultUnavailableException,
        StaleClaimException,
        TokenRefusedException,
        VersionConflictException {
  private static final long serialVersionUID = 1L;

  IdempotencyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
