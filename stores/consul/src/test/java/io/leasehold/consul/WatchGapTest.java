package io.leasehold.consul;

import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.WatchGapContract;
import org.junit.jupiter.api.AfterAll;

/** A blocking query asks for what came behind the index that was looked at. */
class WatchGapTest extends WatchGapContract {
  private final ConsulServer server = ConsulServer.configured().start();

  WatchGapTest() {
    super(new ConsulStoreProvider());
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP);
  }

  @Override
  protected String url(int port) {
    return port == 0 ? server.url() : server.urlBy(port);
  }

  @AfterAll
  void closeServer() {
    server.close();
  }
}
