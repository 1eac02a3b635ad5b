package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultyStore;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** How waiters are woken, and what becomes of them when they are not. */
class SubscriptionTest {
  @Nested
  class OverJedis extends WakeUps {
    @Override
    StoreFactory factory() {
      return new RedisStoreProvider().factory(StoreUrl.parse(server.url() + "?prefix=" + prefix()));
    }
  }

  @Nested
  class OverLettuce extends WakeUps {
    private final RedisClient lettuce = Lettuce.at(server.url());

    @Override
    StoreFactory factory() {
      return LettuceStores.using(lettuce, prefix());
    }

    @AfterAll
    void closeLettuce() {
      lettuce.shutdown();
    }
  }

  abstract static class WakeUps extends ServerTest {
    WakeUps() {
      super(RedisServer.of(Kind.REDIS_7_0));
    }

    abstract StoreFactory factory();

    private Engine one() {
      return over(factory());
    }

    private Engine over(StoreFactory factory) {
      return add(Leasehold.builder(factory).ttl(Duration.ofMinutes(10)));
    }

    /** With polling off, so that nothing else heals it. */
    @Test
    void r11KilledJustBeforeAReleaseItCostsNoWakeUp() throws Exception {
      Engine other = client();
      FaultyStore unpolled = new FaultyStore(factory());
      unpolled.stopPolls();
      Engine client = over(unpolled);
      for (int i = 0; i < 9; i++) {
        Lease held = other.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
        awaitListening();
        assertThat(server.command("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
        held.release();
        served(waiter).release();
      }
    }

    @Test
    void r11WokenForNothingAWaiterGoesOnWaiting() throws Exception {
      Engine other = client();
      Engine client = one();
      Lease held = other.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
      awaitListening();
      String id = other.lock("a").inspect().orElseThrow().waiters().get(0).leaseId();
      CommandCounts counts = CommandCounts.from(server);
      assertThat(server.command("PUBLISH", channels().get(0), id)).isEqualTo(1L);
      await().atMost(PATIENCE).until(() -> counts.of("evalsha") > 0);
      assertThat(waiter).isNotDone();
      held.release();
      served(waiter).release();
      requireNothingLeft(client);
    }

    @Test
    void aMessageThatIsNotOursHarmsNobody() throws Exception {
      Engine other = client();
      Engine client = one();
      for (String message : List.of("", "hello", "x".repeat(100_000), "0".repeat(32))) {
        Lease held = other.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
        awaitListening();
        assertThat(server.command("PUBLISH", channels().get(0), message)).isEqualTo(1L);
        CommandCounts counts = CommandCounts.from(server);
        held.release();
        served(waiter).release();
        assertThat(counts.of("publish")).isEqualTo(1);
        await().atMost(PATIENCE).until(() -> channels().size() == 1);
      }
    }

    @Test
    void thereIsNoneBeforeSomebodyWaits() throws Exception {
      Engine client = one();
      client.lock("a").acquire().release();
      try (Lease held = client.lock("a").acquire()) {
        assertThat(client().lock("a").tryAcquire()).isEmpty();
        assertThat(held.isHeld()).isTrue();
      }
      assertThat(channels()).isEmpty();
      assertThat(server.command("CLIENT", "LIST", "TYPE", "pubsub")).isEqualTo("");
    }

    /** A failover breaks those of a whole fleet at once. */
    @Test
    void r11OnceItIsMadeAgainAllAreAskedAboutTogether() throws Exception {
      int names = 60;
      Engine other = client();
      Engine client = one();
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      Lease first = other.lock("first").acquire();
      CompletableFuture<Lease> listens = beginToWait(client.lock("first"), other);
      awaitListening();
      first.release();
      served(listens).release();
      for (int i = 0; i < names; i++) {
        held.add(other.lock("name " + i).acquire());
        waiters.add(client.lock("name " + i).acquireAsync(PATIENCE));
      }
      await().atMost(PATIENCE).until(() -> waitersOf(other) == names);
      CommandCounts counts = CommandCounts.from(server);
      assertThat(server.command("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
      await().atMost(PATIENCE).until(() -> counts.of("subscribe") == 1);
      pass(Duration.ofMillis(1500));
      assertThat(counts.of("evalsha")).isBetween(1L, names / 4L);
      held.forEach(Lease::release);
      for (CompletableFuture<Lease> waiter : waiters) {
        served(waiter).release();
      }
    }

    private static int waitersOf(Engine observer) {
      return observer.list().stream().mapToInt(one -> one.waiters().size()).sum();
    }

    @Test
    void thereIsOneWhateverTheNumberOfNames() throws Exception {
      Engine other = client();
      Engine client = one();
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        held.add(other.lock("name " + i).acquire());
        waiters.add(beginToWait(client.lock("name " + i), other));
      }
      assertThat(channels()).hasSize(1);
      assertThat((String) server.command("CLIENT", "LIST", "TYPE", "pubsub")).hasLineCount(1);
      held.forEach(Lease::release);
      for (CompletableFuture<Lease> waiter : waiters) {
        served(waiter).release();
      }
    }
  }
}
