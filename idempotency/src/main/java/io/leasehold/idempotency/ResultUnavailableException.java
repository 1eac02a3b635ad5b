package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The work was done, and is not done again, but its result cannot be had: it was too large to be
 * kept, or a codec cannot write or read it, or the store did not take it.
 */
public final class ResultUnavailableException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  ResultUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
