package io.leasehold.idempotency;

import io.leasehold.idempotency.contract.IdempotencyStoreContract;
import io.leasehold.idempotency.spi.IdempotencyStore;

class InMemoryIdempotencyStoreTest extends IdempotencyStoreContract {
  private final IdempotencyStore store = IdempotencyStores.inMemory();

  @Override
  protected IdempotencyStore store() {
    return store;
  }
}
