package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseTooShortException;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServerBuilder;
import io.leasehold.testkit.contract.ClientTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;

/** Tests on a server of their own. */
abstract class ServerTest extends ClientTest {
  final RedisServer server;

  ServerTest(RedisServerBuilder builder) {
    super("", ":");
    server = builder.start();
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return client(how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(server.url(), how);
  }

  /**
   * One that waits in the server's queue, perhaps by the entry of another one of its client, or has
   * failed.
   *
   * @param observer looks into the queue
   */
  protected static CompletableFuture<Lease> beginToWait(DistributedLock lock, LockClient observer) {
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

  /** Has the store asked whether a lease is held, also if the answer takes long. */
  static void renew(Lease lease) {
    try {
      lease.ensureHeld(lease.remaining().plusNanos(1));
    } catch (LeaseTooShortException slow) {
      assertThat(lease.isHeld()).as("%s", slow.getMessage()).isTrue();
    }
  }

  /** The channels on which clients of this test listen. */
  final List<String> channels() {
    List<?> channels = (List<?>) server.command("PUBSUB", "CHANNELS", prefix() + "*");
    return channels.stream().map(Object::toString).toList();
  }

  final void awaitListening() {
    await().atMost(PATIENCE).until(() -> !channels().isEmpty());
  }

  /** The keys of this test that say that a client holds or waits. */
  final List<String> states() {
    return keys("name:");
  }

  /** The keys of this test that begin so, but for numbers and what was withdrawn. */
  final List<String> keys(String beginning) {
    return keys(server, prefix() + "{*}:" + beginning);
  }

  static List<String> keys(RedisServer server, String beginning) {
    List<?> keys = (List<?>) server.command("KEYS", beginning + "*");
    return keys.stream()
        .map(Object::toString)
        .filter(key -> !key.endsWith("}:number") && !key.contains("}:withdrawn:"))
        .toList();
  }

  /** Waits until no client holds or waits; what was given up is withdrawn in the background. */
  final void requireNothingInTheStore() {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(keys("")).isEmpty());
  }

  @AfterAll
  final void closeServer() {
    server.close();
  }
}
