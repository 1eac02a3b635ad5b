package io.leasehold.idempotency.servlet;

import org.jspecify.annotations.Nullable;

/** The application ended without a response that is kept. */
final class Failed extends Exception {
  private static final long serialVersionUID = 1L;

  enum Why {
    /** It threw the cause. */
    THREW,
    /** It made a response whose status says that nothing was done. */
    NOT_TO_BE_KEPT,
    /** It streamed. */
    STREAMED
  }

  private final Why why;

  Failed(Why why, @Nullable Throwable cause) {
    super(why.name(), cause, true, false);
    this.why = why;
  }

  Why why() {
    return why;
  }
}
