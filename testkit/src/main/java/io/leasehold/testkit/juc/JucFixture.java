package io.leasehold.testkit.juc;

import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;

/** A store whose locks are compared with those of {@code java.util.concurrent}. */
public interface JucFixture {
  /**
   * For one more client of the store of the running test: all clients of one test share the store,
   * and those of two tests do not.
   */
  LockClientBuilder builder();

  /** How the locks are taken. */
  default LockOptions options() {
    return LockOptions.defaults();
  }
}
