package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** Tests on servers of their own. Each has a prefix of its own, and its clients end with it. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
abstract class ZooKeeperTest {
  /** How long a test waits for what must come. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Long enough for a busy machine to beat in. */
  static final Duration SHORT = Duration.ofSeconds(2);

  final List<ZooKeeperServer> servers;
  final ZooKeeperServer server;
  private final List<Engine> clients = new CopyOnWriteArrayList<>();
  private String prefix = newPrefix();

  ZooKeeperTest() {
    this(List.of(ZooKeeperServer.start()));
  }

  ZooKeeperTest(List<ZooKeeperServer> servers) {
    this.servers = servers;
    this.server = servers.get(0);
  }

  private static String newPrefix() {
    return "/" + UUID.randomUUID();
  }

  final String prefix() {
    return prefix;
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return client(how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(ZooKeeperServer.url(servers), how);
  }

  final Engine clientAt(String url, UnaryOperator<LockClientBuilder> how) {
    return add(
        how.apply(
            Leasehold.builder(url + "?prefix=" + prefix)
                .ttl(Duration.ofMinutes(10))
                .closeTimeout(Duration.ofSeconds(1))));
  }

  final Engine add(LockClientBuilder builder) {
    Engine client = (Engine) builder.build();
    clients.add(client);
    return client;
  }

  /** One that waits in the queue, or has failed. */
  static CompletableFuture<Lease> beginToWait(DistributedLock lock, LockClient observer) {
    int before = waiters(observer, lock.name());
    CompletableFuture<Lease> waiter = lock.acquireAsync(Duration.ofMinutes(2));
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .until(() -> waiter.isDone() || waiters(observer, lock.name()) > before);
    return waiter;
  }

  static int waiters(LockClient observer, String name) {
    return observer.lock(name).inspect().map(seen -> seen.waiters().size()).orElse(0);
  }

  /** What a waiter gets. */
  static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  static CompletableFuture<Void> loss(Lease lease) {
    CompletableFuture<Void> lost = new CompletableFuture<>();
    lease.onLost(() -> lost.complete(null));
    return lost;
  }

  /** Waits until a client has nothing in memory, and nothing in doubt. */
  static void requireNothingLeft(Engine client) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(client.ledger().isZero()).as("%s", client.ledger()).isTrue());
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
            return zk.getChildren(prefix + node, false);
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

  /** Lets time pass, where nothing shall happen. */
  static void pass(Duration time) {
    long begin = System.nanoTime();
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(time.plus(PATIENCE))
        .until(() -> System.nanoTime() - begin > time.toNanos());
  }

  @AfterEach
  final void closeClients() {
    clients.forEach(Engine::close);
    clients.clear();
    prefix = newPrefix();
  }

  @AfterAll
  final void closeServers() {
    servers.forEach(ZooKeeperServer::close);
  }
}
