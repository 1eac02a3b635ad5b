package io.leasehold.testkit.contract;

import io.leasehold.testkit.InMemoryServer;

/** The in-memory store that can do everything. */
class InMemoryContractTest extends StoreContract {
  @Override
  protected ContractFixture fixture() {
    return new StoreFixture(new InMemoryServer());
  }
}
