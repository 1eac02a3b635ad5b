package io.leasehold.etcd;

import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.LostReplyContract;
import org.junit.jupiter.api.AfterAll;

/**
 * Requests that are lost on the way to a member, and replies on the way back. The first one after
 * the client connected, which opens its session, may have begun in the count with the frames before
 * it.
 */
class LostReplyTest extends LostReplyContract {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  LostReplyTest() {
    super("", "/");
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), new Http2Framing());
  }

  @Override
  protected Engine client(int port) {
    return clientAt(port == 0 ? server.url() : server.urlBy(port), how -> how);
  }

  @AfterAll
  void closeServer() {
    server.close();
  }
}
