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

  /** What does the work of a key once, and replays what it yielded. */
  default Once once() {
    throw new UnsupportedOperationException("does not replay");
  }

  /** Rows that are changed by what was read. */
  default Rows rows(String name, int count) {
    throw new UnsupportedOperationException("changes no rows");
  }

  /** Idempotency, of a library. */
  interface Once {
    /** Returns whether the work was done; otherwise its result was replayed. */
    boolean call(String key);
  }

  /** Numbers in a database that many threads raise by one: they read, and write what they read. */
  interface Rows {
    /** Makes those that are not there. Returns the sum of all. */
    long sum();

    /** Raises a number by one, and returns how often that was tried. */
    int raise(int row);

    /** The calling thread raises no more. */
    void leave();
  }

  /**
   * A lock that is held.
   *
   * @param isHeld asks whether the calling thread has it; empty if the library does not tell
   * @param release ends it
   */
  record Held(Optional<BooleanSupplier> isHeld, Runnable release) {}
}
