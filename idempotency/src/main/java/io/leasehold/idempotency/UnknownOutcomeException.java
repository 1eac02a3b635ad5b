package io.leasehold.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * An earlier call with this key began and never ended: its process was killed, or it could not
 * store what came of its work. The work may have been done, in part or whole, or not. Nothing was
 * done by this call. Look at what the work leaves behind, then {@link IdempotentOperation#forget}
 * the key, or let {@link IdempotentOperation#reconcile} find out.
 */
public final class UnknownOutcomeException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  UnknownOutcomeException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
