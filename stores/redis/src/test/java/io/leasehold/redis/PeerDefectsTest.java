package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.servers.JavaProcess;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.contract.Testbed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What was seen to be broken in other libraries on Redis, each as a test of ours. */
class PeerDefectsTest {
  @Nested
  class OnRedis70 extends Defects {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Defects {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  abstract static class Defects extends ServerTest {
    private static final Duration SHORT = Duration.ofSeconds(1);

    Defects(Kind kind) {
      super(RedisServer.of(kind));
    }

    private long millisLeft(String name) {
      return (long)
          server.command(
              "PTTL", states().stream().filter(k -> k.endsWith(name)).findAny().orElseThrow());
    }

    /** A waiter was idle for the rest of the lease, three times of three. */
    @Test
    void subscriptionKilledBeforeUnlock() throws Exception {
      Engine other = client();
      Engine client = client();
      for (int i = 0; i < 3; i++) {
        Lease held = other.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
        awaitListening();
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        long released = System.nanoTime();
        held.release();
        served(waiter).release();
        assertThat(Duration.ofNanos(System.nanoTime() - released))
            .isLessThan(Duration.ofSeconds(10));
      }
    }

    /** The same with a semaphore: its waiter never woke, with a permit free. */
    @Test
    void subscriptionKilledBeforeAPermitCameBack() throws Exception {
      Engine other = client();
      Engine client = client();
      Lease held = other.semaphore("s", 1).acquire();
      CompletableFuture<Lease> waiter = client.semaphore("s", 1).acquireAsync(PATIENCE);
      awaitListening();
      server.command("CLIENT", "KILL", "TYPE", "pubsub");
      held.release();
      assertThat(waiter).succeedsWithin(Duration.ofSeconds(10));
      waiter.join().release();
    }

    /** Key after key was given up after one that failed: 116 of 149 leases were lost. */
    @Test
    void poisonedKeyStarvesRenewal() throws Exception {
      Engine client = client(how -> how.ttl(SHORT));
      List<Lease> others = new ArrayList<>();
      Lease poisoned = client.lock("poisoned").acquire();
      server.command("SET", states().get(0), "something else");
      for (int i = 0; i < 149; i++) {
        others.add(client.lock("name " + i).acquire());
      }
      pass(SHORT.multipliedBy(3));
      assertThat(poisoned.isHeld()).isFalse();
      assertThat(others).allMatch(Lease::isHeld);
      others.forEach(Lease::release);
    }

    /** Each of 2,000 quick pairs left a timer that renewed on: 11,411 renewals instead of 7. */
    @Test
    void timersMultiplyOverShortPairs() throws Exception {
      AtomicInteger renewals = new AtomicInteger();
      Engine client =
          client(
              how ->
                  how.ttl(SHORT)
                      .listener(e -> renewals.addAndGet(e instanceof LockEvent.Renewed ? 1 : 0)));
      for (int i = 0; i < 2000; i++) {
        client.lock("a").acquire().release();
      }
      Lease held = client.lock("a").acquire();
      CommandCounts counts = CommandCounts.from(server);
      renewals.set(0);
      pass(SHORT.multipliedBy(3));
      assertThat(renewals.get()).isBetween(6, 13);
      assertThat(counts.of("evalsha") + counts.of("set")).isLessThanOrEqualTo(13);
      assertThat(held.isHeld()).isTrue();
      held.release();
      requireNothingLeft(client);
    }

    /** A lock once taken with a short lease was short for ever after. */
    @Test
    void ttlOfAnEarlierAcquisitionIsReused() throws Exception {
      Engine client = client();
      DistributedLock lock = client.lock("a");
      DistributedLock shortly = lock.with(LockOptions.defaults().withTtl(SHORT).withoutRenewal());
      Lease first = shortly.acquire();
      await().atMost(PATIENCE).until(() -> !first.isHeld());
      Lease next = lock.acquire(PATIENCE);
      assertThat(millisLeft("a")).isGreaterThan(Duration.ofMinutes(9).toMillis());
      next.release();
      Lease again = shortly.acquire();
      assertThat(millisLeft("a")).isLessThanOrEqualTo(SHORT.toMillis());
      again.release();
    }

    /** Two holders of different values of one group: only one of them was renewed. */
    @Test
    void twoHoldersOfOneGroup() throws Exception {
      Engine client = client(how -> how.ttl(SHORT));
      MultiLease one = client.allOf("a", "b").acquire();
      MultiLease two = client.allOf("c", "d").acquire();
      pass(SHORT.multipliedBy(3));
      for (String name : List.of("a", "b")) {
        assertThat(one.get(name).isHeld()).isTrue();
      }
      Engine other = client();
      for (String name : List.of("a", "b", "c", "d")) {
        assertThat(other.lock(name).tryAcquire()).as(name).isEmpty();
      }
      one.release();
      two.release();
      requireNothingInTheStore();
    }

    /** A caller that asked for a token got 30 seconds, whatever it asked for. */
    @Test
    void fencedLockIgnoresItsTtl() throws Exception {
      Lease held =
          client().lock("a").with(LockOptions.defaults().withTtl(Duration.ofSeconds(5))).acquire();
      assertThat(held.fencingToken()).isPositive();
      assertThat(millisLeft("a")).isLessThanOrEqualTo(5000);
      held.release();
    }

    /** A token key for each lock ever taken stayed for ever. */
    @Test
    void aCounterForEachNameStays() throws Exception {
      Engine client = client();
      for (int i = 0; i < 1000; i++) {
        client.lock("name " + i).acquire().release();
      }
      assertThat((List<?>) server.command("KEYS", prefix() + "*{*")).hasSizeLessThanOrEqualTo(256);
    }

    /** Permits of a process that died were gone for ever. */
    @Test
    void aHolderThatDiesTakesItsPermitsAlong() throws Exception {
      try (JavaProcess puppet = puppet()) {
        puppet.say("acquire permits");
        puppet.await("acquired");
        assertThat(client().semaphore("a", 2).tryAcquire()).isEmpty();
        puppet.signal("KILL");
        client().semaphore("a", 2).permits(2).acquire(PATIENCE).release();
      }
    }

    /** Dead waiters kept a fair queue for five minutes each. */
    @Test
    void deadWaitersBlockAFairQueue() throws Exception {
      Engine client = client();
      Lease held = client.lock("a").acquire();
      try (JavaProcess puppet = puppet()) {
        puppet.say("acquire fair");
        await()
            .atMost(PATIENCE)
            .until(() -> client.lock("a").inspect().orElseThrow().waiters().size() == 1);
        puppet.signal("KILL");
        CompletableFuture<Lease> second =
            client.lock("a").with(LockOptions.defaults().fair()).acquireAsync(PATIENCE);
        held.release();
        assertThat(second).succeedsWithin(SHORT.multipliedBy(5));
        second.join().release();
      }
    }

    private JavaProcess puppet() {
      JavaProcess puppet =
          JavaProcess.start(Puppet.class, server.url() + "?prefix=" + prefix(), SHORT.toString());
      puppet.await("ready");
      return puppet;
    }

    /** A wait of 200 ms ended after a second. */
    @Test
    void aShortWaitIsOvershot() throws Exception {
      Engine client = client();
      Lease held = client().lock("a").acquire();
      Testbed.giveUp(client.lock("a"), Duration.ofMillis(200));
      long begin = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        Testbed.giveUp(client.lock("a"), Duration.ofMillis(200));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
      held.release();
    }
  }
}
