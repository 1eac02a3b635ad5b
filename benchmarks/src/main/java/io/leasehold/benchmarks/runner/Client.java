package io.leasehold.benchmarks.runner;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A library in one process, connected to the server. */
public interface Client {
  /** A lock. */
  Mutex mutex(String name);

  /** A lock that is given in the order of arrival. */
  default Mutex fair(String name) {
    throw new UnsupportedOperationException("has no fair lock");
  }

  /**
   * Takes a lock that is renewed until the process ends.
   *
   * @return what a user would keep of it
   */
  default Object keep(String name) {
    throw new UnsupportedOperationException("does not renew");
  }

  /** Takes a lock. */
  default Held hold(String name) {
    throw new UnsupportedOperationException("does not renew");
  }

  /**
   * A lock that is held.
   *
   * @param isHeld asks whether the calling thread has it; empty if the library does not tell
   * @param release ends it
   */
  record Held(Optional<BooleanSupplier> isHeld, Runnable release) {}
}
