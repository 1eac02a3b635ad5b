package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What locking costs, counted on the wire and at the server. */
class RequestCountTest {
  @Nested
  class OnRedis70 extends Counts {
    OnRedis70() {
      super(Kind.REDIS_7_0, 8);
    }
  }

  @Nested
  class OnValkey9 extends Counts {
    OnValkey9() {
      super(Kind.VALKEY_9, 6);
    }
  }

  abstract static class Counts extends ServerTest {
    private final FaultProxy proxy;
    private final int commandsOfAPair;

    Counts(Kind kind, int commandsOfAPair) {
      super(RedisServer.of(kind));
      this.commandsOfAPair = commandsOfAPair;
      proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
    }

    @AfterAll
    void closeProxy() {
      proxy.close();
    }

    /** One whose requests are counted, and who has a connection. */
    private Engine counted(Duration ttl, AtomicInteger renewals) throws InterruptedException {
      Engine client =
          clientAt(
              server.urlBy(proxy.port()),
              how ->
                  how.ttl(ttl)
                      .listener(
                          event -> {
                            if (event instanceof LockEvent.Renewed) {
                              renewals.incrementAndGet();
                            }
                          }));
      client.lock("first").acquire().release();
      return client;
    }

    /** While three requests for places are under way, those that come next are gathered. */
    @Test
    void aCrowdOfFairCallersComesToItsPlacesInFourRequests() throws Exception {
      Engine client = counted();
      Lease held = client().lock("crowd").acquire();
      CommandCounts counts = CommandCounts.from(server);
      List<CompletableFuture<Lease>> crowd = new ArrayList<>();
      server.pause();
      try {
        for (int i = 0; i < 32; i++) {
          crowd.add(
              client
                  .lock("crowd")
                  .with(LockOptions.defaults().fair())
                  .acquireAsync(Duration.ofMinutes(1)));
        }
      } finally {
        server.resume();
      }
      await()
          .until(
              () -> client.lock("crowd").inspect().orElseThrow().waiters().size() == crowd.size());
      assertThat(counts.of("rpush")).isEqualTo(4);
      held.release();
      for (CompletableFuture<Lease> each : crowd) {
        each.get(30, TimeUnit.SECONDS).release();
      }
      assertThat(counts.of("publish")).isLessThan(crowd.size() / 2);
    }

    private Engine counted() throws InterruptedException {
      return counted(Duration.ofMinutes(10), new AtomicInteger());
    }

    @Test
    void aFreePairIsTwoRequests() throws Exception {
      Engine client = counted();
      int before = proxy.requests();
      CommandCounts commands = CommandCounts.from(server);
      client.lock("a").acquire().release();
      assertThat(proxy.requests() - before).isEqualTo(2);
      assertThat(commands.sum()).as("%s", commands.all()).isLessThanOrEqualTo(commandsOfAPair);
    }

    /** Three of requests, which threads share, and one that listens. */
    @Test
    void aProcessHasFourConnectionsAtMost() throws Exception {
      Engine client = counted();
      ExecutorService threads = Executors.newFixedThreadPool(32);
      try (Lease held = client().lock("held").acquire()) {
        CompletableFuture<Lease> waiter = client.lock("held").acquireAsync(PATIENCE);
        awaitListening();
        // So that all of them have requests under way
        proxy.delay(Direction.TO_SERVER, Duration.ofMillis(20));
        List<Future<?>> pairs = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
          String name = "own " + i;
          pairs.add(
              threads.submit(
                  () -> {
                    client.lock(name).acquire().release();
                    return null;
                  }));
        }
        for (Future<?> pair : pairs) {
          pair.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(proxy.connections()).isLessThanOrEqualTo(4);
        waiter.cancel(true);
        assertThat(held.isHeld()).isTrue();
      } finally {
        proxy.heal();
        threads.shutdown();
      }
    }

    @Test
    void aBusyTryIsOne() throws Exception {
      Engine client = counted();
      try (Lease held = client().lock("a").acquire()) {
        int before = proxy.requests();
        assertThat(client.lock("a").tryAcquire()).isEmpty();
        assertThat(proxy.requests() - before).isEqualTo(1);
        assertThat(held.isHeld()).isTrue();
      }
    }

    @Test
    void r19EnteringAgainAndLookingAreNone() throws Exception {
      Engine client = counted();
      Lock lock = client.lock("a").asLock();
      lock.lock();
      int before = proxy.requests();
      for (int i = 0; i < 1000; i++) {
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
      }
      assertThat(proxy.requests() - before).isZero();
      lock.unlock();
      try (Lease held = client.lock("b").acquire()) {
        int looking = proxy.requests();
        assertThat(held.isHeld()).isTrue();
        assertThat(held.remaining()).isPositive();
        assertThat(proxy.requests() - looking).isZero();
      }
    }

    @Test
    void waitingIsOneASecondWhateverTheNumberOfWaiters() throws Exception {
      Engine other = client();
      Engine client = counted();
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        held.add(other.lock("name " + i).acquire());
        waiters.add(beginToWait(client.lock("name " + i), other));
      }
      awaitListening();
      // At most one of them is the ping of the subscription
      assertThat(timeOf(5, proxy::requests)).isGreaterThan(Duration.ofMillis(2500));
      waiters.forEach(waiter -> waiter.cancel(true));
      held.forEach(Lease::release);
    }

    /**
     * The message says what was granted: who is told of a short lease asks for nothing. What was
     * handed over is released by two commands together, so that the next one is told first.
     */
    @Test
    void aFairHandOverIsThreeCommandsOfWhoGetsIt() throws Exception {
      int rounds = 20;
      Engine other = client();
      Engine client = counted();
      LockOptions fair = LockOptions.defaults().fair();
      Lease held = other.lock("a").acquire();
      CompletableFuture<Lease> first = beginToWait(client.lock("a").with(fair), other);
      awaitListening();
      held.release();
      served(first).release();
      int before = proxy.requests();
      CommandCounts counts = CommandCounts.from(server);
      long begin = System.nanoTime();
      for (int i = 0; i < rounds; i++) {
        Lease next = other.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a").with(fair), other);
        next.release();
        served(waiter).release();
      }
      long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
      // To queue and to release; a poll each second; where the message overtook the reply one more
      assertThat(proxy.requests() - before)
          .isLessThanOrEqualTo((int) (3 * rounds + rounds / 4 + 2 * seconds));
      // The last is on its way
      await().atMost(PATIENCE).until(() -> counts.of("ping") >= rounds);
    }

    /**
     * The answer to a release says who is next, if that is the same client: nothing is published.
     */
    @Test
    void whoIsNextInTheSameProcessIsToldByTheAnswer() throws Exception {
      Engine observer = client();
      Engine client = counted();
      LockOptions fair = LockOptions.defaults().fair();
      Lease held = client.lock("a").with(fair).acquire();
      CompletableFuture<Lease> first = beginToWait(client.lock("a").with(fair), observer);
      awaitListening();
      CompletableFuture<Lease> second = beginToWait(client.lock("a").with(fair), observer);
      CommandCounts counts = CommandCounts.from(server);
      held.release();
      served(first).release();
      served(second).release();
      assertThat(counts.of("publish")).isZero();
    }

    /**
     * Each of them has asked for a place; of the grants only the first and the release are sent.
     */
    @Test
    void fairNeighboursAreServedWithoutARequest() throws Exception {
      int neighbours = 20;
      Engine observer = client();
      Engine client = counted();
      LockOptions fair = LockOptions.defaults().fair();
      Lease held = client.lock("a").with(fair).acquire();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < neighbours; i++) {
        waiters.add(beginToWait(client.lock("a").with(fair), observer));
        // So that the others need not ask once more
        awaitListening();
      }
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      waiters.forEach(waiter -> ends.add(waiter.thenAccept(Lease::release)));
      int before = proxy.requests();
      long begin = System.nanoTime();
      held.release();
      for (CompletableFuture<Void> end : ends) {
        end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
      // A poll, a renewal, and another release each second; PING with a release. On a machine that
      // stood still for so long that the grant fell back, all have asked for another place
      long most = seconds < 2 ? 8 + 5 * seconds : 3L * neighbours;
      assertThat(proxy.requests() - before).isLessThanOrEqualTo((int) most);
    }

    @Test
    void renewingManyIsAFewRequests() throws Exception {
      AtomicInteger renewals = new AtomicInteger();
      Engine client = counted(Duration.ofSeconds(3), renewals);
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        held.add(client.lock("name " + i).acquire());
      }
      renewals.set(0);
      int before = proxy.requests();
      await().atMost(PATIENCE).until(() -> renewals.get() >= 3 * held.size());
      assertThat(proxy.requests() - before).isLessThanOrEqualTo(3 * held.size() / 50);
      assertThat(held).allMatch(Lease::isHeld);
      held.forEach(Lease::release);
    }
  }
}
