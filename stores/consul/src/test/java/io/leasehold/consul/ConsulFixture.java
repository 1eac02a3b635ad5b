package io.leasehold.consul;

import io.leasehold.servers.ConsulServer;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.UUID;

/** A prefix of its own on a server. */
final class ConsulFixture extends StoreFixture {
  private final ConsulServer server;

  ConsulFixture(ConsulServer server) {
    super(
        new ConsulStoreProvider()
            .factory(StoreUrl.parse(server.url() + "?prefix=" + UUID.randomUUID() + "/")));
    this.server = server;
    without(Ability.REMAINING, "Consul does not tell when a session was last renewed");
    with(Ability.RESTART);
    with(Ability.RESTART_EMPTY);
  }

  @Override
  public void restart() {
    server.kill();
    server.start();
  }

  @Override
  public void restartEmpty() {
    server.kill();
    server.startEmpty();
  }
}
