package io.leasehold.idempotency;

/** The row was changed since it was read, or is gone; nothing was changed. Over HTTP: 412. */
public final class VersionConflictException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  VersionConflictException(String message) {
    super(message, null);
  }
}
