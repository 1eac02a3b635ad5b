package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * An earlier call with this key began and never ended: its process was killed, or it could not
 * store the outcome of its work. The work may have been done, in whole or in part, or not at all.
 * This call did nothing. Examine the effects of the work, then {@link IdempotentOperation#forget}
 * the key, or let {@link IdempotentOperation#reconcile} find out.
 */
public final class UnknownOutcomeException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  UnknownOutcomeException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
