package io.leasehold.etcd;

import io.leasehold.servers.EtcdServer;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.UUID;

/** A prefix of its own on a server. */
final class EtcdFixture extends StoreFixture {
  private final EtcdServer server;

  EtcdFixture(EtcdServer server) {
    super(
        new EtcdStoreProvider()
            .factory(StoreUrl.parse(server.url() + "?prefix=" + UUID.randomUUID() + "/")));
    this.server = server;
    without(Ability.REMAINING, "etcd says it in whole seconds");
    with(Ability.RESTART);
    with(Ability.RESTART_EMPTY);
  }

  @Override
  public void restart() {
    server.process().kill();
    server.process().start();
    server.awaitHealthy();
  }

  @Override
  public void restartEmpty() {
    server.process().kill();
    server.process().startEmpty();
    server.awaitHealthy();
  }
}
