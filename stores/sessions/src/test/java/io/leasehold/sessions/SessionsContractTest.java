package io.leasehold.sessions;

import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;

/** The promises, over entries in memory. */
class SessionsContractTest extends StoreContract {
  /** A server of its own. */
  private static final class Fixture extends StoreFixture {
    private final InMemoryEntries server;

    Fixture(InMemoryEntries server) {
      super(server::open);
      this.server = server;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @Override
  protected ContractFixture fixture() {
    return new Fixture(new InMemoryEntries(new SystemClock()));
  }
}
