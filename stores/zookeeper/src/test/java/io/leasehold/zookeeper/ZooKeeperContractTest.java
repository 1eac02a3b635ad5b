package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The promises. */
class ZooKeeperContractTest {
  @Nested
  @TestInstance(Lifecycle.PER_CLASS)
  class OnOneServer extends StoreContract {
    private final ZooKeeperServer server = ZooKeeperServer.start();

    @Override
    protected ContractFixture fixture() {
      return new ZooKeeperFixture(server);
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  /** Those for which the server is restarted; the others run beside each other meanwhile. */
  @Test
  void overRestarts() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      ScoreCard card =
          ContractRun.on(() -> new ZooKeeperFixture(server).with(Ability.RESTART))
              .only(test -> test.contains("ARestart"))
              .run();
      assertThat(card.scores()).hasSize(2).allMatch(each -> each.outcome() == Outcome.PASSED);
    }
  }
}
