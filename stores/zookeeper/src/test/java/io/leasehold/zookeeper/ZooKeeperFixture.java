package io.leasehold.zookeeper;

import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.StoreFixture;
import java.time.Duration;
import java.util.UUID;

/** A prefix of its own on a server. */
final class ZooKeeperFixture extends StoreFixture {
  private final ZooKeeperServer server;

  ZooKeeperFixture(ZooKeeperServer server) {
    super(factory(server));
    this.server = server;
  }

  private static StoreFactory factory(ZooKeeperServer server) {
    String url = server.url() + "?prefix=/" + UUID.randomUUID();
    return new ZooKeeperStoreProvider().factory(StoreUrl.parse(url));
  }

  /** Of which only a part is certain after a renewal. */
  @Override
  public Duration shortTtl() {
    return Duration.ofSeconds(4);
  }

  @Override
  public void restart() {
    server.process().kill();
    server.process().start();
  }
}
