package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServerBuilder;
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

/** Tests on a server of their own. Each has a prefix of its own, and its clients end with it. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
abstract class ServerTest {
  /** How long a test waits for what must come. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  final RedisServer server;
  private final List<Engine> clients = new ArrayList<>();
  private String prefix = newPrefix();

  ServerTest(RedisServerBuilder builder) {
    server = builder.start();
  }

  private static String newPrefix() {
    return UUID.randomUUID() + ":";
  }

  /** What the keys of this test begin with. */
  final String prefix() {
    return prefix;
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return client(how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(server.url(), how);
  }

  final Engine clientAt(String url, UnaryOperator<LockClientBuilder> how) {
    LockClientBuilder builder =
        Leasehold.builder(url + (url.contains("?") ? "&" : "?") + "prefix=" + prefix)
            .ttl(Duration.ofMinutes(10))
            .closeTimeout(Duration.ofSeconds(1));
    return add(how.apply(builder));
  }

  final Engine add(LockClientBuilder builder) {
    Engine client = (Engine) builder.build();
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
   * One that waits in the server's queue, or has failed.
   *
   * @param observer who looks into the queue
   */
  static CompletableFuture<Lease> beginToWait(DistributedLock lock, LockClient observer) {
    CompletableFuture<Lease> waiter = lock.acquireAsync(PATIENCE);
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(() -> waiter.isDone() || waits(observer.lock(lock.name())));
    return waiter;
  }

  private static boolean waits(DistributedLock lock) {
    return lock.inspect().stream().anyMatch(seen -> !seen.waiters().isEmpty());
  }

  /** What a waiter gets. */
  static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** The channels on which clients of this test listen. */
  final List<String> channels() {
    List<?> channels = (List<?>) server.command("PUBSUB", "CHANNELS", prefix + "*");
    return channels.stream().map(Object::toString).toList();
  }

  final void awaitListening() {
    await().atMost(PATIENCE).until(() -> !channels().isEmpty());
  }

  /** The keys of this test that say that somebody holds or waits. */
  final List<String> states() {
    return keys("name:");
  }

  /** The keys of this test that begin so, but for numbers and what was withdrawn. */
  final List<String> keys(String beginning) {
    List<?> keys = (List<?>) server.command("KEYS", prefix + "{*}:" + beginning + "*");
    return keys.stream()
        .map(Object::toString)
        .filter(key -> !key.endsWith("}:number") && !key.contains("}:withdrawn:"))
        .toList();
  }

  /** Waits until nobody holds or waits; what was given up is withdrawn in the background. */
  final void requireNothingInTheStore() {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(keys("")).isEmpty());
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
  final void closeServer() {
    server.close();
  }
}
