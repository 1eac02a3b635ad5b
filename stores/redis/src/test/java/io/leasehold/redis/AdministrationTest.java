package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisCli;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an administrator may do to a server while it is in use. */
class AdministrationTest {
  @Nested
  class OnRedis70 extends Commands {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Commands {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  abstract static class Commands extends ServerTest {
    Commands(Kind kind) {
      super(RedisServer.of(kind));
    }

    @AfterEach
    void reset() {
      server.command("CONFIG", "SET", "maxmemory", "0");
      server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
      server.command("CONFIG", "SET", "appendonly", "no");
      server.command("CONFIG", "SET", "appendfsync", "everysec");
      server.command("CONFIG", "SET", "timeout", "0");
      server.command("CONFIG", "SET", "maxmemory-clients", "0");
      server.command("FLUSHALL");
    }

    @Test
    void clientKillIsAnOutageOfNothingButTheRequestUnderWay() throws Exception {
      Engine other = client();
      Engine client = client();
      for (int i = 0; i < 10; i++) {
        Lease held = other.lock("a").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
        server.command("CLIENT", "KILL", "TYPE", "normal");
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        releaseOrNotKnown(held);
        releaseOrNotKnown(served(waiter));
        requireNothingLeft(client);
        requireNothingLeft(other);
      }
      requireNothingInTheStore();
    }

    /** The connection may have been killed under it. */
    private static void releaseOrNotKnown(Lease lease) {
      try {
        lease.release();
      } catch (StoreException told) {
        assertThat(told.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME);
      }
    }

    @Test
    void clientPauseIsWaitedFor() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(3)));
      Lease held = client.lock("held").acquire();
      server.command("CLIENT", "PAUSE", "1500", "ALL");
      client.lock("a").acquire(PATIENCE).release();
      assertThat(held.isHeld()).isTrue();
      server.command("CLIENT", "PAUSE", "1000", "WRITE");
      client.lock("a").acquire(PATIENCE).release();
      held.release();
      requireNothingLeft(client);
      requireNothingInTheStore();
    }

    @Test
    void scriptFlushHarmsNoVerb() throws Exception {
      Engine other = client();
      Engine client = client(how -> how.ttl(Duration.ofSeconds(1)));
      Lease held = other.lock("a").acquire();
      for (int i = 0; i < 3; i++) {
        server.command("SCRIPT", "FLUSH");
        CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
        server.command("SCRIPT", "FLUSH");
        held.release();
        Lease next = served(waiter);
        server.command("SCRIPT", "FLUSH");
        next.ensureHeld(Duration.ofMillis(900));
        server.command("SCRIPT", "FLUSH");
        assertThat(client.lock("a").inspect()).isPresent();
        server.command("SCRIPT", "FLUSH");
        assertThat(other.lock("a").breakLease(next.fencingToken())).isTrue();
        held = other.lock("a").acquire(PATIENCE);
        CompletableFuture<Lease> givesUp = beginToWait(client.lock("a"), other);
        server.command("SCRIPT", "FLUSH");
        givesUp.cancel(true);
        requireNothingLeft(client);
      }
      held.release();
    }

    @Test
    void r6FlushAllIsToldToTheHolderAndWaitersGoOn() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(3)));
      Lease held = client.lock("a").acquire();
      CompletableFuture<Void> lost = new CompletableFuture<>();
      held.onLost(() -> lost.complete(null));
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      server.command("FLUSHALL");
      assertThat(lost).succeedsWithin(PATIENCE);
      assertThat(held.isHeld()).isFalse();
      Lease next = served(waiter);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }

    @Test
    void aServerThatMayEvictIsDiagnosed() {
      server.command("CONFIG", "SET", "maxmemory", "50mb");
      server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      assertThat(finding(client(), "eviction"))
          .satisfies(
              found -> assertThat(found.level()).isEqualTo(Level.WARNING),
              found -> assertThat(found.detail()).contains("allkeys-lru", "noeviction"));
    }

    @Test
    void anAppendOnlyFileThatIsWrittenLateIsDiagnosed() {
      Engine client = client();
      server.command("CONFIG", "SET", "appendonly", "yes");
      assertThat(finding(client, "persistence"))
          .satisfies(
              found -> assertThat(found.level()).isEqualTo(Level.WARNING),
              found -> assertThat(found.detail()).contains("appendfsync everysec"));
      server.command("CONFIG", "SET", "appendfsync", "always");
      assertThat(finding(client, "persistence").level()).isEqualTo(Level.OK);
    }

    @Test
    void whatEndsConnectionsIsDiagnosed() {
      Engine client = client();
      assertThat(client.diagnose()).extracting(Finding::check).doesNotContain("timeout", "clients");
      server.command("CONFIG", "SET", "timeout", "3");
      server.command("CONFIG", "SET", "maxmemory-clients", "50mb");
      assertThat(finding(client, "timeout").detail()).contains("timeout 3");
      assertThat(finding(client, "clients").detail()).contains("maxmemory-clients");
    }

    @Test
    void whatCouldBreakAPromiseIsAnEventOfTheClientThatConnects() {
      server.command("CONFIG", "SET", "maxmemory", "50mb");
      server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      Queue<String> warned = new ConcurrentLinkedQueue<>();
      client(
          how ->
              how.listener(
                  event -> {
                    if (event instanceof LockEvent.StoreWarning warning) {
                      warned.add(warning.finding().check());
                    }
                  }));
      await().untilAsserted(() -> assertThat(warned).contains("eviction").doesNotContain("server"));
    }

    private static Finding finding(Engine client, String check) {
      List<Finding> all = client.diagnose();
      return all.stream().filter(f -> f.check().equals(check)).findAny().orElseThrow();
    }

    @Test
    void r6AnEvictedLeaseIsToldToItsHolder() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(3)));
      Lease held = client.lock("a").acquire();
      server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
      server.command("CONFIG", "SET", "maxmemory", "1");
      requireNothingInTheStore();
      server.command("CONFIG", "SET", "maxmemory", "0");
      await().atMost(PATIENCE).until(() -> !held.isHeld());
      Lease next = client.lock("a").acquire();
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"order:", "waiters:", "name:", ""})
    void r9WhateverIsEvictedOfAQueueItsWaitersAreServed(String beginning) throws Exception {
      Engine client = client();
      Lease held = client.lock("a").acquire();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        waiters.add(beginToWait(client().lock("a"), client));
      }
      keys(beginning).forEach(key -> server.command("DEL", key));
      releaseOrLost(held);
      requireServed(waiters);
      // What is left of the queue does not stay for ever.
      assertThat(keys("")).noneMatch(key -> (long) server.command("PTTL", key) == -1);
    }

    /** A key that is lost while others wait is told anew how long it lives. */
    @ParameterizedTest
    @CsvSource({"order:,EXCLUSIVE", "waiters:,EXCLUSIVE", "order:,SHARED", "waiters:,SHARED"})
    void aKeyThatComesAnewUnderAQueueDoesNotStayForEver(String lost, LockMode second)
        throws Exception {
      Engine client = client();
      Lease held = client.lock("a").acquire();
      CompletableFuture<Lease> first = beginToWait(client().lock("a"), client);
      keys(lost).forEach(key -> server.command("DEL", key));
      Engine late = client();
      CompletableFuture<Lease> next =
          (second == LockMode.SHARED ? late.readWriteLock("a").readLock() : late.lock("a"))
              .acquireAsync(PATIENCE);
      await().atMost(PATIENCE).until(() -> !keys(lost).isEmpty());
      assertThat(keys("")).noneMatch(key -> (long) server.command("PTTL", key) == -1);
      held.release();
      requireServed(List.of(first, next));
    }

    /** In any order. */
    private static void requireServed(List<CompletableFuture<Lease>> waiters) {
      for (CompletableFuture<Lease> waiter : waiters) {
        waiter.thenAcceptAsync(Lease::release, Runnable::run);
      }
      for (CompletableFuture<Lease> waiter : waiters) {
        assertThat(waiter).succeedsWithin(PATIENCE);
      }
    }

    private static void releaseOrLost(Lease lease) {
      try {
        lease.release();
      } catch (LeaseLostException told) {
        assertThat(lease.isHeld()).isFalse();
      }
    }

    @Test
    void aFullServerTakesNothingMoreAndLetsGo() throws Exception {
      Engine client = client();
      Engine other = client();
      Lease held = client.lock("held").acquire();
      Lease wanted = client.lock("wanted").acquire();
      LockOptions fair = LockOptions.defaults().fair();
      CompletableFuture<Lease> waiter = beginToWait(other.lock("wanted").with(fair), client);
      server.command("CONFIG", "SET", "maxmemory", "1");
      assertThatThrownBy(() -> other.lock("free").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class,
              told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE))
          .hasMessageContaining("maxmemory");
      held.ensureHeld(Duration.ofMinutes(9));
      held.release();
      // What comes free may be handed over at once, or asked for when there is room again
      wanted.release();
      server.command("CONFIG", "SET", "maxmemory", "0");
      served(waiter).release();
      requireNothingLeft(other);
      requireNothingInTheStore();
    }

    @Test
    void aFullServerKeepsWhatItHasAndTakesPermitsBack() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(2)));
      Lease one = client.semaphore("s", 2).acquire();
      Lease two = client().semaphore("s", 2).acquire();
      Lease reader = client.readWriteLock("r").readLock().acquire();
      Lease wanted = client.lock("wanted").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("wanted"), client);
      server.command("CONFIG", "SET", "maxmemory", "1");
      pass(Duration.ofSeconds(3));
      assertThat(List.of(one, reader, wanted)).allMatch(Lease::isHeld);
      one.release();
      reader.release();
      assertThat(client.lock("s").inspect().orElseThrow().holders()).hasSize(1);
      server.command("CONFIG", "SET", "maxmemory", "0");
      wanted.release();
      served(waiter).release();
      two.release();
      requireNothingInTheStore();
    }

    @Test
    void tooManyClientsIsUnavailable() {
      try (RedisCli cli = server.cli()) {
        cli.command("CONFIG", "SET", "maxclients", "1");
        assertThatThrownBy(this::client)
            .isInstanceOfSatisfying(
                StoreException.class,
                told -> assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE))
            .hasMessageContaining("too many clients");
        cli.command("CONFIG", "SET", "maxclients", "10000");
      }
    }
  }
}
