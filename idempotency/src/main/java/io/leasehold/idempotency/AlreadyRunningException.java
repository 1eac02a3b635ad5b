package io.leasehold.idempotency;

import java.time.Duration;

/**
 * Another call with the same key is running, and the caller did not want to wait, or waited for as
 * long as it wanted to. Nothing was done; the same call may be made again. Over HTTP: 409 with
 * {@code Retry-After}.
 */
public final class AlreadyRunningException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  /** After which it is worth to ask again. */
  private final Duration retryAfter;

  AlreadyRunningException(String message, Duration retryAfter) {
    super(message, null);
    this.retryAfter = retryAfter;
  }

  /**
   * When it is worth to ask again: within a second, for the call may end at any time; at the latest
   * its claim ends after this unless it is extended.
   */
  public Duration retryAfter() {
    return retryAfter;
  }
}
