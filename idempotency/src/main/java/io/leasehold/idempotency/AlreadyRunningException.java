package io.leasehold.idempotency;

import java.time.Duration;

/**
 * Another call with the same key is running, and this call does not wait, or has waited for its
 * longest time. This call did nothing; the caller may try it again. Over HTTP: 409 with {@code
 * Retry-After}.
 */
public final class AlreadyRunningException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  /** The time after which another try makes sense. */
  private final Duration retryAfter;

  AlreadyRunningException(String message, Duration retryAfter) {
    super(message, null);
    this.retryAfter = retryAfter;
  }

  /**
   * The time after which another try makes sense: the rest of the life of the running claim. From
   * an {@link IdempotentOperation} it is at most one second, because the running call may end at
   * any time.
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
