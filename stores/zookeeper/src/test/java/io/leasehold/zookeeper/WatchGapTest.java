package io.leasehold.zookeeper;

import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.WatchGapContract;
import org.junit.jupiter.api.AfterAll;

/** The server sets a watch with the look itself. */
class WatchGapTest extends WatchGapContract {
  private final ZooKeeperServer server = ZooKeeperServer.start();

  WatchGapTest() {
    super(new ZooKeeperStoreProvider());
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), new Requests());
  }

  @Override
  protected String url(int port) {
    return "zookeeper://127.0.0.1:" + (port == 0 ? server.port() : port);
  }

  @AfterAll
  void closeServer() {
    server.close();
  }
}
