package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The work was done and does not run again, but its result is not available: it was too large, a
 * codec cannot write or read it, or the store did not accept it.
 */
public final class ResultUnavailableException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  ResultUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
