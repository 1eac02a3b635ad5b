package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Each request of a client in turn is cut off on the wire, before the server has it and after the
 * server has applied it. With a ttl of ten minutes, the next client is in soon, and nothing is in
 * doubt. The client library takes up to a second until it connects again.
 */
class LostReplyTest extends ZooKeeperTest {
  private static final Duration SOON = Duration.ofSeconds(8);

  private final AtomicInteger names = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterAll
  void endThreads() {
    threads.shutdownNow();
  }

  /** What a client does. */
  @FunctionalInterface
  private interface Act {
    void by(Engine client, Engine other, String name) throws Exception;
  }

  /** Those of a pair, of a try that finds it busy, and of a waiter; beside each other. */
  @Test
  void eachRequest() throws Exception {
    List<CompletableFuture<Integer>> points =
        Stream.<Act>of(this::pair, this::busyTry, this::waiter)
            .map(act -> CompletableFuture.supplyAsync(() -> loseEach(act), threads))
            .toList();
    for (CompletableFuture<Integer> each : points) {
      assertThat(each.get(2, TimeUnit.MINUTES)).isGreaterThanOrEqualTo(2 * 3);
    }
  }

  private void pair(Engine client, Engine other, String name) throws Exception {
    client.lock(name).acquire(PATIENCE).release();
  }

  private void busyTry(Engine client, Engine other, String name) throws Exception {
    try (Lease held = other.lock(name).acquire()) {
      assertThat(client.lock(name).tryAcquire()).isEmpty();
      assertThat(held.isHeld()).isTrue();
    }
  }

  private void waiter(Engine client, Engine other, String name) throws Exception {
    Lease held = other.lock(name).acquire();
    CompletableFuture<Lease> waiter = beginToWait(client.lock(name), other);
    held.release();
    try {
      served(waiter).release();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException known ? known : e;
    }
  }

  private int loseEach(Act act) {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), new Requests())) {
      return loseEach(act, proxy);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private int loseEach(Act act, FaultProxy proxy) throws Exception {
    Engine other = client();
    Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how);
    client.lock("first").acquire().release();
    int points = 0;
    List<BiConsumer<FaultProxy, Integer>> cuts =
        List.of(FaultProxy::cutBefore, FaultProxy::cutAfter);
    for (BiConsumer<FaultProxy, Integer> cut : cuts) {
      boolean wasCut = true;
      for (int i = 0; wasCut; i++) {
        String name = "name" + names.incrementAndGet();
        int before = proxy.cuts();
        cut.accept(proxy, proxy.requests() + i);
        try {
          act.by(client, other, name);
        } catch (StoreException told) {
          assertThat(told.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
        }
        wasCut = proxy.cuts() > before;
        proxy.heal();
        long begin = System.nanoTime();
        other.lock(name).acquire(SOON).release();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
        requireNothingLeft(client);
        requireNoEntry(name);
        points += wasCut ? 1 : 0;
      }
    }
    return points;
  }
}
