package io.leasehold.gallery;

import static org.awaitility.Awaitility.await;

import io.leasehold.servers.ServerProcess;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** A ZooKeeper server in a play. */
final class ZooKeeperScenery {
  static final String PATH = "/invoice";

  private final Stage stage;
  private final ServerProcess server;
  private final ZooKeeper administrator;

  ZooKeeperScenery(Stage stage, ServerProcess server) throws Exception {
    this.stage = stage;
    this.server = server;
    this.administrator =
        stage.closes(
            new ZooKeeper("127.0.0.1:" + server.port(), ZooKeeperWire.SESSION_MILLIS, event -> {}));
    try {
      administrator.delete(PATH, -1);
    } catch (NoNodeException isFree) {
      return;
    }
  }

  /** A handle of this client, recorded. */
  ZooKeeperWire connect(Client client, AtomicInteger requests) throws IOException {
    return stage.closes(new ZooKeeperWire(client, requests, server.port()));
  }

  /** One by way of a proxy. */
  ZooKeeperWire connectBy(Client client, FaultProxy proxy) throws IOException {
    return stage.closes(new ZooKeeperWire(client, new AtomicInteger(), proxy.port()));
  }

  FaultProxy proxy() {
    return stage.closes(FaultProxy.to("127.0.0.1", server.port(), Framing.NONE));
  }

  /** Ends a session, as its timeout does: closes another handle of it. */
  void expire(ZooKeeper handle) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper other =
        new ZooKeeper(
            "127.0.0.1:" + server.port(),
            ZooKeeperWire.SESSION_MILLIS,
            event -> connected.countDown(),
            handle.getSessionId(),
            handle.getSessionPasswd());
    try {
      if (!connected.await(ZooKeeperWire.SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("ZooKeeper does not answer");
      }
    } finally {
      other.close();
    }
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofMinutes(1))
        .until(() -> !isOf(handle.getSessionId()));
  }

  private boolean isOf(long session) throws KeeperException, InterruptedException {
    Stat stat = administrator.exists(PATH, false);
    return stat != null && stat.getEphemeralOwner() == session;
  }

  /** Shows the node as what the data looks like after; whose it is. */
  String shows() throws KeeperException, InterruptedException {
    Stat stat = new Stat();
    stage.data("zk> get -s " + PATH);
    String owner = new String(administrator.getData(PATH, false, stat), StandardCharsets.UTF_8);
    stage.data(owner);
    stage.data("ephemeralOwner = " + (stat.getEphemeralOwner() == 0 ? "0x0" : "a session"));
    return owner;
  }
}
