package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Thousands who wait in one process: for one name, and each for its own. */
class ManyWaitersTest extends ServerTest {
  private static final int MANY = 5000;
  private static final Duration LONG = Duration.ofMinutes(4);

  private final FaultProxy proxy;

  ManyWaitersTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
    proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
  }

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  private Engine counted() {
    // All ask at once: on a busy machine the last is answered late, and would give up before
    return clientAt(server.urlBy(proxy.port()), how -> how.requestTimeout(LONG));
  }

  private static List<CompletableFuture<Lease>> wait(int count, IntFunction<DistributedLock> lock) {
    return IntStream.range(0, count).mapToObj(i -> lock.apply(i).acquireAsync(LONG)).toList();
  }

  /** Each releases as soon as it has the lock: thousands that hold may be renewed too late. */
  private static void serve(List<CompletableFuture<Lease>> waiters, List<Lease> held) {
    List<CompletionStage<Void>> done = new ArrayList<>();
    waiters.forEach(waiter -> done.add(waiter.thenAcceptAsync(Lease::release, Runnable::run)));
    held.forEach(Lease::release);
    assertThat(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)))
        .succeedsWithin(LONG);
  }

  private void awaitQueued(Engine observer, int count) {
    // A server that takes in thousands of waiters may leave the question unanswered
    await()
        .atMost(LONG)
        .ignoreExceptionsInstanceOf(StoreException.class)
        .untilAsserted(
            () ->
                assertThat(observer.list().stream().mapToInt(s -> s.waiters().size()).sum())
                    .isGreaterThanOrEqualTo(count));
  }

  /** Once nothing happens any more but that they wait: one batch a second, of so many requests. */
  private void requireCalm(int batch) {
    Duration window = Duration.ofSeconds(3);
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .untilAsserted(
            () -> {
              int before = proxy.requests();
              CommandCounts commands = CommandCounts.from(server);
              long begin = System.nanoTime();
              pass(window);
              double seconds = (System.nanoTime() - begin) / 1e9;
              // And a ping
              assertThat(proxy.requests() - before)
                  .isBetween(batch, (int) ((seconds + 1) * batch) + 1);
              assertThat(commands.of("set")).as("writes").isZero();
            });
  }

  @Test
  void forOneName() throws Exception {
    Engine other = client();
    Engine client = counted();
    Lease held = other.lock("a").acquire();
    List<CompletableFuture<Lease>> waiters = wait(MANY, i -> client.lock("a"));
    awaitQueued(other, 1);
    requireCalm(1);
    serve(waiters, List.of(held));
    requireNothingLeft(client);
    requireNothingInTheStore();
  }

  @Test
  void forOneNameInOrder() throws Exception {
    int count = 1000;
    Engine other = client();
    Engine client = counted();
    Lease held = other.lock("a").acquire();
    LockOptions fair = LockOptions.defaults().fair();
    List<CompletableFuture<Lease>> waiters = wait(count, i -> client.lock("a").with(fair));
    awaitQueued(other, count);
    requireCalm(count / 250);
    serve(waiters, List.of(held));
    requireNothingLeft(client);
    requireNothingInTheStore();
  }

  @Test
  void forNamesOfTheirOwn() throws Exception {
    Engine other = client();
    Engine client = counted();
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      held.add(other.lock("name " + i).acquire());
    }
    List<CompletableFuture<Lease>> waiters = wait(MANY, i -> client.lock("name " + i));
    awaitQueued(other, MANY);
    requireCalm(MANY / 250);
    int half = MANY / 2;
    serve(waiters.subList(0, half), held.subList(0, half));
    waiters.subList(half, MANY).forEach(waiter -> waiter.cancel(true));
    requireNothingLeft(client);
    held.subList(half, MANY).forEach(Lease::release);
    requireNothingInTheStore();
  }
}
