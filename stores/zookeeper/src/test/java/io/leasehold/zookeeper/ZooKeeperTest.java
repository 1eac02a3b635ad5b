package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.contract.ClientTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;

/** Tests on servers of their own. */
abstract class ZooKeeperTest extends ClientTest {
  /** Long enough for a busy machine to beat in. */
  static final Duration SHORT = Duration.ofSeconds(2);

  final List<ZooKeeperServer> servers;
  final ZooKeeperServer server;

  ZooKeeperTest() {
    this(List.of(ZooKeeperServer.start()));
  }

  ZooKeeperTest(List<ZooKeeperServer> servers) {
    super("/", "");
    this.servers = servers;
    this.server = servers.get(0);
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return client(how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(ZooKeeperServer.url(servers), how);
  }

  /** Waits until there is no entry under this lock name, as the server says. */
  final void requireNoEntry(String name) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(children("/" + name)).isEmpty());
  }

  /** The nodes under a node of this test; none if it is not there. */
  final Collection<String> children(String node) {
    return plain(
        zk -> {
          try {
            return zk.getChildren(prefix() + node, false);
          } catch (NoNodeException gone) {
            return List.of();
          }
        });
  }

  /** What is done with the client library alone. */
  interface Plain<T> {
    T with(ZooKeeper zk) throws KeeperException, InterruptedException;
  }

  final <T> T plain(Plain<T> work) {
    try (ZooKeeper zk = new ZooKeeper("127.0.0.1:" + server.port(), 30_000, event -> {})) {
      await().atMost(PATIENCE).until(() -> zk.getState().isConnected());
      return work.with(zk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (KeeperException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @AfterAll
  final void closeServers() {
    servers.forEach(ZooKeeperServer::close);
  }
}
