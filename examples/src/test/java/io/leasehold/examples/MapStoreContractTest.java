package io.leasehold.examples;

import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The store of the tutorial keeps every promise. */
class MapStoreContractTest extends StoreContract {
  @Override
  protected ContractFixture fixture() {
    ConcurrentMap<String, MapName> names = new ConcurrentHashMap<>();
    return new StoreFixture(listener -> new MapStore(names, System::nanoTime));
  }
}
