package io.leasehold.etcd;

import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.WatchGapContract;
import org.junit.jupiter.api.AfterAll;

/** A watch begins with the revision behind the one that was looked at. */
class WatchGapTest extends WatchGapContract {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  WatchGapTest() {
    super(new EtcdStoreProvider());
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), new Http2Framing());
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
