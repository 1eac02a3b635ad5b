package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Each request of a client in turn is cut off on the wire, before the server has it and after the
 * server has applied it. With a ttl of ten minutes, the next client is in within a second, and
 * nothing is in doubt.
 */
class LostReplyTest {
  @Nested
  class OnRedis70 extends Losses {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Losses {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  @Nested
  class OverLettuce extends Losses {
    private final RedisClient lettuce;

    OverLettuce() {
      super(Kind.REDIS_7_0);
      lettuce = Lettuce.at(server.urlBy(proxy.port()));
    }

    @Override
    Engine overProxy() {
      return add(
          Leasehold.builder(LettuceStores.using(lettuce, prefix())).ttl(Duration.ofMinutes(10)));
    }

    @AfterAll
    void closeLettuce() {
      lettuce.shutdown();
    }
  }

  abstract static class Losses extends ServerTest {
    private static final Duration SOON = Duration.ofSeconds(1);

    final FaultProxy proxy;

    Losses(Kind kind) {
      super(RedisServer.of(kind));
      proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
    }

    @AfterAll
    void closeProxy() {
      proxy.close();
    }

    Engine overProxy() {
      return clientAt(server.urlBy(proxy.port()), how -> how);
    }

    /** What a client does. */
    @FunctionalInterface
    private interface Act {
      void by(Engine client, Engine other, String name) throws Exception;
    }

    /** Where a request is cut off. */
    @FunctionalInterface
    private interface Cut {
      void at(FaultProxy proxy, int request);
    }

    @Test
    void ofAFreePair() throws Exception {
      int points = loseEach((client, other, name) -> client.lock(name).acquire(PATIENCE).release());
      assertThat(points).isGreaterThanOrEqualTo(2 * 2);
    }

    @Test
    void ofATryThatFindsItBusy() throws Exception {
      int points =
          loseEach(
              (client, other, name) -> {
                try (Lease held = other.lock(name).acquire()) {
                  assertThat(client.lock(name).tryAcquire()).isEmpty();
                  assertThat(held.isHeld()).isTrue();
                }
              });
      assertThat(points).isGreaterThanOrEqualTo(2);
    }

    @Test
    void ofAWaiterThatIsServed() throws Exception {
      int points = loseEach((client, other, name) -> waitAndRelease(client.lock(name), other));
      assertThat(points).isGreaterThanOrEqualTo(2 * 4);
    }

    @Test
    void ofAFairWaiterThatIsServed() throws Exception {
      LockOptions fair = LockOptions.defaults().fair();
      int points =
          loseEach((client, other, name) -> waitAndRelease(client.lock(name).with(fair), other));
      assertThat(points).isGreaterThanOrEqualTo(2 * 4);
    }

    /** The answer to a release may be the only thing that says who is next. */
    @Test
    void ofAHandOverWithinTheProcess() throws Exception {
      LockOptions fair = LockOptions.defaults().fair();
      int points =
          loseEach(
              (client, other, name) -> {
                DistributedLock lock = client.lock(name).with(fair);
                Lease held = lock.acquire(PATIENCE);
                CompletableFuture<Lease> waiter = beginToWait(lock, other);
                try {
                  held.release();
                } finally {
                  served(waiter).release();
                }
              });
      assertThat(points).isGreaterThanOrEqualTo(2 * 5);
    }

    @Test
    void ofAFairWaiterThatGivesUp() throws Exception {
      LockOptions fair = LockOptions.defaults().fair();
      int points =
          loseEach(
              (client, other, name) -> {
                try (Lease held = other.lock(name).acquire()) {
                  CompletableFuture<Lease> waiter =
                      beginToWait(client.lock(name).with(fair), other);
                  waiter.cancel(true);
                  requireNothingLeft(client);
                  assertThat(held.isHeld()).isTrue();
                }
              });
      // It may give up before it listens.
      assertThat(points).isGreaterThanOrEqualTo(2 * 2);
    }

    @Test
    void ofAReaderAndAWriter() throws Exception {
      int points =
          loseEach(
              (client, other, name) -> {
                try (Lease reader = other.readWriteLock(name).readLock().acquire()) {
                  client.readWriteLock(name).readLock().acquire(PATIENCE).release();
                  assertThat(reader.isHeld()).isTrue();
                }
                client.readWriteLock(name).writeLock().acquire(PATIENCE).release();
              });
      assertThat(points).isGreaterThanOrEqualTo(2 * 4);
    }

    @Test
    void ofPermits() throws Exception {
      int points =
          loseEach(
              (client, other, name) -> {
                try (Lease one = other.semaphore(name, 3).acquire()) {
                  client.semaphore(name, 3).permits(2).acquire(PATIENCE).release();
                  assertThat(one.isHeld()).isTrue();
                }
              },
              (next, name) -> requireSoon(next.semaphore(name, 3).permits(3)));
      assertThat(points).isGreaterThanOrEqualTo(2 * 2);
    }

    private static void waitAndRelease(DistributedLock lock, Engine other) throws Exception {
      CompletableFuture<Lease> waiter;
      try (Lease held = other.lock(lock.name()).acquire()) {
        waiter = beginToWait(lock, other);
        assertThat(held.isHeld()).isTrue();
      }
      served(waiter).release();
    }

    /** Yields how many requests were lost. */
    private int loseEach(Act act) throws Exception {
      return loseEach(act, (next, name) -> requireSoon(next.lock(name)));
    }

    private int loseEach(Act act, BiConsumer<Engine, String> next) throws Exception {
      int points = 0;
      for (Cut cut : List.<Cut>of(FaultProxy::cutBefore, FaultProxy::cutAfter)) {
        int index = 0;
        while (lose(cut, index, act, next)) {
          index++;
        }
        points += index;
      }
      requireNothingInTheStore();
      return points;
    }

    /** Whether the client sent so many requests that one was lost. */
    private boolean lose(Cut cut, int index, Act act, BiConsumer<Engine, String> next)
        throws Exception {
      Engine other = client();
      Engine client = overProxy();
      String name = "lock " + index;
      int before = proxy.cuts();
      cut.at(proxy, proxy.requests() + index);
      try {
        act.by(client, other, name);
      } catch (StoreException | ExecutionException told) {
        assertThat(told.toString()).contains("StoreException");
      }
      proxy.heal();
      next.accept(other, name);
      requireNothingLeft(client);
      closeClients();
      return proxy.cuts() > before;
    }

    private static void requireSoon(DistributedLock lock) {
      try {
        lock.tryAcquire(SOON).orElseThrow().release();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
