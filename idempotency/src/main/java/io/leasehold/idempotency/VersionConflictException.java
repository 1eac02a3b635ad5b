package io.leasehold.idempotency;

/**
 * The row has changed since it was read, or is gone. The update changed nothing. Over HTTP: 412.
 */
public final class VersionConflictException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  VersionConflictException(String message) {
    super(message, null);
  }
}
