package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.MemcachedServer;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The promises, on a real server. */
@TestInstance(Lifecycle.PER_CLASS)
class MemcachedContractTest extends StoreContract {
  private final MemcachedServer server = MemcachedServer.start();

  @Override
  protected ContractFixture fixture() {
    return new Fixture(server);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /** On a server of its own: what uses the other runs beside this. */
  @Test
  void r6ALeaseThatTheStoreForgotIsNoticed() throws Exception {
    try (MemcachedServer restarted = MemcachedServer.start()) {
      ScoreCard card =
          ContractRun.on(() -> new RestartedFixture(restarted))
              .only(test -> test.equals("R06_aLeaseThatTheStoreForgotIsNoticed"))
              .run();
      assertThat(card.ended(Outcome.PASSED)).as(card.table()).hasSize(1);
    }
  }

  /** A prefix of its own on a server. */
  private static class Fixture extends StoreFixture {
    Fixture(MemcachedServer server) {
      super(
          new MemcachedStoreProvider()
              .factory(StoreUrl.parse(server.url() + "?prefix=" + UUID.randomUUID() + ":")));
      without(Ability.FINAL_WITHDRAWAL, "the server does not remember what was withdrawn");
    }
  }

  private static final class RestartedFixture extends Fixture {
    private final MemcachedServer server;

    RestartedFixture(MemcachedServer server) {
      super(server);
      this.server = server;
      with(Ability.RESTART_EMPTY);
    }

    @Override
    public void restartEmpty() {
      server.process().kill();
      server.process().start();
    }
  }
}
