package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** Tests on servers of their own. Each has a prefix of its own, and its clients end with it. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the server
abstract class ServerTest {
  /** How long a test waits for what must come. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The shortest of a server that has no other setting. */
  static final Duration SHORT = Duration.ofSeconds(10);

  final ConsulServer server;
  final List<ConsulServer> servers;
  private final List<Engine> clients = new ArrayList<>();
  private String prefix = newPrefix();

  ServerTest(ConsulServer server) {
    this(List.of(server));
  }

  ServerTest(List<ConsulServer> servers) {
    this.servers = servers;
    server = servers.get(0);
  }

  private static String newPrefix() {
    return UUID.randomUUID() + "/";
  }

  /** What the keys of this test begin with. */
  final String prefix() {
    return prefix;
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return clientAt(server.url(), how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(server.url(), how);
  }

  final Engine clientAt(String url, UnaryOperator<LockClientBuilder> how) {
    LockClientBuilder builder =
        Leasehold.builder(url + (url.contains("?") ? "&" : "?") + "prefix=" + prefix)
            .ttl(Duration.ofMinutes(10))
            .closeTimeout(Duration.ofSeconds(1));
    Engine client = (Engine) how.apply(builder).build();
    clients.add(client);
    return client;
  }

  /** Waits until a client has nothing in memory, and nothing in doubt. */
  static void requireNothingLeft(Engine client) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(client.ledger().isZero()).as("%s", client.ledger()).isTrue());
  }

  /**
   * One that waits in the queue, or has failed.
   *
   * @param observer looks into the queue
   */
  static CompletableFuture<Lease> beginToWait(DistributedLock lock, LockClient observer) {
    int before = waiters(observer.lock(lock.name()));
    CompletableFuture<Lease> waiter = lock.acquireAsync(PATIENCE);
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(() -> waiter.isDone() || waiters(observer.lock(lock.name())) > before);
    return waiter;
  }

  static int waiters(DistributedLock lock) {
    return lock.inspect().map(seen -> seen.waiters().size()).orElse(0);
  }

  /** What a waiter gets. */
  static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Waits until there are no entries; what was given up is withdrawn in the background. */
  final void requireNothingInTheStore() {
    try (LockClient observer = client()) {
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(observer.list()).isEmpty());
    }
  }

  final JavaProcess puppet(Duration ttl) {
    JavaProcess puppet =
        JavaProcess.start(Puppet.class, server.url() + "?prefix=" + prefix, ttl.toString());
    puppet.await("ready");
    return puppet;
  }

  @AfterEach
  final void closeClients() {
    clients.forEach(Engine::close);
    clients.clear();
    prefix = newPrefix();
  }

  @AfterAll
  final void closeServers() {
    servers.forEach(ConsulServer::close);
  }
}
