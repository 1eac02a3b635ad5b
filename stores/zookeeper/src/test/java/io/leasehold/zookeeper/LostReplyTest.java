package io.leasehold.zookeeper;

import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.LostReplyContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Requests that are lost on the way to a server, and replies on the way back. The client library
 * takes up to two seconds until it connects again, so the tests wait together.
 */
@TestInstance(Lifecycle.PER_METHOD)
@Execution(ExecutionMode.CONCURRENT)
class LostReplyTest extends LostReplyContract {
  private static final ZooKeeperServer SERVER = ZooKeeperServer.start();

  LostReplyTest() {
    super("/", "");
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", SERVER.port(), new Requests());
  }

  @Override
  protected Engine client(int port) {
    return clientAt("zookeeper://127.0.0.1:" + (port == 0 ? SERVER.port() : port), how -> how);
  }

  @AfterAll
  static void closeServer() {
    SERVER.close();
  }
}
