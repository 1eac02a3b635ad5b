package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A grant counts only once replicas have it, if the URL says so. */
class ReplicationTest {
  @Nested
  class OnRedis70 extends Grants {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }

    @Test
    void aServerThatCannotWaitForDisksIsRefused() {
      requireRefused(() -> clientWith("replicas=1&fsync=yes"), "has no WAITAOF");
    }
  }

  @Nested
  class OnValkey9 extends Grants {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }

    @Test
    void aServerThatWritesNothingCannotWaitForDisks() {
      assertThat(server.command("CONFIG", "SET", "appendonly", "no")).isEqualTo("OK");
      requireRefused(() -> clientWith("replicas=1&fsync=yes"), "appendonly is disabled");
      assertThat(server.command("CONFIG", "SET", "appendonly", "yes")).isEqualTo("OK");
      await().atMost(PATIENCE).until(() -> "0".equals(rewriting()));
    }

    private String rewriting() {
      return server.info("persistence").getOrDefault("aof_rewrite_in_progress", "");
    }

    @Test
    void alsoOnceItIsOnTheirDisks() throws Exception {
      Engine client = clientWith("replicas=1&within=10s&fsync=yes");
      CommandCounts counts = CommandCounts.from(server);
      client.lock("a").acquire(PATIENCE).release();
      assertThat(counts.of("waitaof")).isPositive();
      assertThat(counts.of("wait")).isZero();
    }
  }

  abstract static class Grants extends ServerTest {
    private final RedisServer replica;

    Grants(Kind kind) {
      super(RedisServer.of(kind).persistent());
      replica = RedisServer.of(kind).persistent().replicaOf(server).start();
    }

    @BeforeEach
    void awaitReplica() {
      await()
          .atMost(PATIENCE)
          .until(() -> "up".equals(replica.info("replication").get("master_link_status")));
    }

    @AfterEach
    void goOn() {
      replica.resume();
    }

    @AfterAll
    void closeReplica() {
      replica.close();
    }

    final Engine clientWith(String parameters) {
      return clientAt(server.url() + "?" + parameters, how -> how);
    }

    @Test
    void aGrantIsAskedAboutOnceAndNothingElseIs() throws Exception {
      Engine client = clientWith("replicas=1&within=10s");
      CommandCounts counts = CommandCounts.from(server);
      Lease held = client.lock("a").acquire();
      pass(Duration.ofSeconds(1));
      held.ensureHeld(held.remaining().plusNanos(1));
      held.release();
      assertThat(counts.of("wait")).isEqualTo(1);
    }

    @Test
    void aGrantThatNoReplicaHasIsTakenBack() throws Exception {
      Engine client = clientWith("replicas=1&within=50ms");
      replica.pause();
      assertThatThrownBy(() -> client.lock("a").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME))
          .hasMessageContaining("0 of 1 replicas");
      requireNothingInTheStore();
      requireNothingLeft(client);
      client().lock("a").acquire().release();
    }

    /** The repeat finds the name granted and writes nothing: that it waits is not obvious. */
    @Test
    void aRepeatDoesNotCountEither() throws Exception {
      Engine client = clientWith("replicas=1&within=50ms");
      replica.pause();
      CommandCounts counts = CommandCounts.from(server);
      assertThat(client.lock("a").acquireAsync(PATIENCE))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withMessageContaining("0 of 1 replicas");
      assertThat(counts.of("wait")).isEqualTo(2);
      requireNothingInTheStore();
      replica.resume();
      client.lock("a").acquire(PATIENCE).release();
      requireNothingLeft(client);
    }

    @Test
    void aHandOverIsAskedAboutToo() throws Exception {
      Lease busy = client().lock("a").acquire();
      Engine client = clientWith("replicas=1&within=10s");
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client());
      awaitListening();
      CommandCounts counts = CommandCounts.from(server);
      busy.release();
      Lease held = served(waiter);
      assertThat(counts.of("wait")).isPositive();
      held.release();
      requireNothingLeft(client);
    }

    /** While all connections wait for the replica, more requests come. */
    @Test
    void requestsThatAreSentTogetherAskOnce() {
      int connections = JedisWire.MOST_CONNECTIONS;
      int more = 20;
      StoreUrl url = StoreUrl.parse(server.url());
      try (Wire wire = new JedisWire(RedisStoreProvider.connections(url), new SystemClock())) {
        replica.pause();
        CommandCounts counts = CommandCounts.from(server);
        List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
          send(wire, threads, answers);
          String blocked = "" + (i + 1);
          await()
              .atMost(PATIENCE)
              .until(() -> blocked.equals(server.info("clients").get("blocked_clients")));
        }
        for (int i = 0; i < more; i++) {
          send(wire, threads, answers);
        }
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    threads.stream()
                        .skip(connections)
                        .allMatch(each -> each.getState() == Thread.State.TIMED_WAITING));
        replica.resume();
        for (CompletableFuture<List<Object>> answer : answers) {
          assertThat(answer).succeedsWithin(PATIENCE);
          assertThat(answer.join().get(1)).isEqualTo(1L);
        }
        assertThat(counts.of("set")).isEqualTo(connections + more);
        assertThat(counts.of("wait")).isEqualTo(connections + 1);
      }
    }

    private void send(
        Wire wire, List<Thread> threads, List<CompletableFuture<List<Object>>> answers) {
      CompletableFuture<List<Object>> answer = new CompletableFuture<>();
      List<Command> commands =
          List.of(
              Command.of(Command.Name.SET, prefix() + "{}", "1"),
              Command.of(Command.Name.WAIT, "1", "60000"));
      Thread thread =
          new Thread(
              () ->
                  wire.send(commands, PATIENCE)
                      .whenComplete(
                          (replies, failed) -> {
                            if (failed == null) {
                              answer.complete(replies);
                            } else {
                              answer.completeExceptionally(failed);
                            }
                          }));
      answers.add(answer);
      threads.add(thread);
      thread.start();
    }
  }

  private static void requireRefused(ThrowingCallable open, String why) {
    assertThatThrownBy(open)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "replicas=0",
        "replicas=many",
        "replicas=1&within=0",
        "replicas=1&within=1m",
        "replicas=1&fsync=1",
        "within=1s",
        "fsync=yes",
      })
  void whatCannotBeIsRefused(String parameters) {
    assertThatThrownBy(() -> Leasehold.connect("redis://127.0.0.1:1?" + parameters).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(replicas|within|fsync).*");
  }

  @Test
  void theWaitIsShorterThanTheRequest() {
    Replication replication = new Replication(2, Duration.ofSeconds(1), false);
    assertThat(replication.ask(Duration.ofMillis(100)).arguments())
        .containsExactly(Command.bytes("2"), Command.bytes("90"));
    assertThat(replication.ask(Duration.ofSeconds(5)).arguments())
        .containsExactly(Command.bytes("2"), Command.bytes("1000"));
  }
}
