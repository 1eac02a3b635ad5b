package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClientBuilder;

/**
 * A store that is chosen, but not open.
 *
 * @param builder of the client
 * @param end what to end after the client
 */
record OpenableStore(LockClientBuilder builder, Runnable end) implements AutoCloseable {
  OpenableStore(LockClientBuilder builder) {
    this(builder, () -> {});
  }

  @Override
  public void close() {
    end.run();
  }
}
