package io.leasehold.consul;

import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, on a server that takes sessions of one second; it is restarted, so one by one. */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock("ConsulContractTest")
class ConsulContractTest extends StoreContract {
  private final ConsulServer server =
      ConsulServer.configured().shortestTtl(Duration.ofSeconds(1)).start();

  @Override
  protected ContractFixture fixture() {
    return new ConsulFixture(server);
  }

  @AfterAll
  void stop() {
    server.close();
  }
}
