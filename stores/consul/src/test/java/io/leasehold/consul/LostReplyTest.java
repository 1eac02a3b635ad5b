package io.leasehold.consul;

import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.LostReplyContract;
import org.junit.jupiter.api.AfterAll;

/** Requests that are lost on the way to an agent, and replies on the way back. */
class LostReplyTest extends LostReplyContract {
  private final ConsulServer server = ConsulServer.configured().start();

  LostReplyTest() {
    super("", "/");
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP);
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
