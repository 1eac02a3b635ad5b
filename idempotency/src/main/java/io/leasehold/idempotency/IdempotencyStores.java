package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.internal.SystemClock;

/** Opens stores of the toolkit. Stateless and thread-safe. */
public final class IdempotencyStores {
  private IdempotencyStores() {}

  /** In the memory of this process: for tests, and for an application of one process. */
  public static IdempotencyStore inMemory() {
    return new InMemoryIdempotencyStore(new SystemClock());
  }

  /**
   * By URL: {@code memory:}.
   *
   * @throws IllegalArgumentException if the URL is malformed, or its scheme unknown
   * @throws io.leasehold.StoreException if the store cannot be reached, or refuses
   */
  public static IdempotencyStore open(String url) {
    if (url.equals("memory:")) {
      return inMemory();
    }
    throw new IllegalArgumentException("no store serves this URL");
  }
}
