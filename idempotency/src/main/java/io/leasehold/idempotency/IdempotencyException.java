package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Root of what this module throws about a key. A store that does not answer is a {@link
 * io.leasehold.StoreException} instead.
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
