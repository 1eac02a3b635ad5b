package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one ticket: whether any can still land at the store. Guarded by whoever has it.
 */
final class Attempts {
  /** Those that have not ended. */
  private int pending;

  /** Whether one ended without an answer, so that it may still land. */
  private boolean indefinite;

  void begin() {
    pending++;
  }

  /** One has ended, with or without an answer. */
  void end(@Nullable StoreException failed) {
    pending--;
    indefinite |= failed != null && failed.failure() == Failure.UNKNOWN_OUTCOME;
  }

  /** Those of another, of the same id. */
  void add(Attempts others) {
    pending += others.pending;
    indefinite |= others.indefinite;
  }

  boolean arePending() {
    return pending > 0;
  }

  /** Whether one of them may still land. */
  boolean mayLand() {
    return pending > 0 || indefinite;
  }

  Attempts copy() {
    Attempts copy = new Attempts();
    copy.pending = pending;
    copy.indefinite = indefinite;
    return copy;
  }
}
