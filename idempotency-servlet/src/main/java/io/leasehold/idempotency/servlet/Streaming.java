package io.leasehold.idempotency.servlet;

import org.jspecify.annotations.Nullable;

/** What the application did that makes its response one that cannot be kept. One thread's. */
final class Streaming {
  private @Nullable String what;

  /** Remembers it, also if the application catches what it throws. */
  IllegalStateException refuse(String what) {
    if (this.what == null) {
      this.what = what;
    }
    return new IllegalStateException(
        what
            + "; IdempotencyFilter keeps whole responses alone: do not send an Idempotency-Key to"
            + " this resource, or do not map the filter to it");
  }

  @Nullable String what() {
    return what;
  }
}
