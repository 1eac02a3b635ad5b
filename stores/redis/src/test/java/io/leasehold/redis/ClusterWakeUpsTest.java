package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How waiters are woken in a cluster: each hears of a lock from the node that serves it, and from
 * no other. They do not poll, so that nothing else wakes them.
 */
class ClusterWakeUpsTest {
  /** What a user needs beyond the usual where channels are of buckets. */
  private static final List<String> SHARDED = List.of("+command|info", "+spublish", "+ssubscribe");

  abstract static class WakeUps extends Clusters {
    WakeUps(RedisCluster cluster) {
      super(cluster);
    }

    final Engine unpolled() {
      return unpolled(cluster.url());
    }

    final Engine unpolled(String url) {
      FaultyStore unpolled =
          new FaultyStore(
              new RedisStoreProvider().factory(StoreUrl.parse(url + "?prefix=" + prefix())));
      unpolled.stopPolls();
      return add(Leasehold.builder(unpolled).ttl(Duration.ofMinutes(10)));
    }

    final List<?> channels(RedisServer node) {
      return (List<?>) node.command("PUBSUB", "SHARDCHANNELS", prefix() + "*");
    }

    final List<?> channelsOfAll(RedisServer node) {
      return (List<?>) node.command("PUBSUB", "CHANNELS", prefix() + "*");
    }

    final void awaitListening(RedisServer node) {
      awaitListening(node, 1);
    }

    final void awaitListening(RedisServer node, int number) {
      await().atMost(PATIENCE).until(() -> channels(node).size() == number);
    }

    /** It waits in the queue and hears. */
    final CompletableFuture<Lease> listensFor(Engine client, String name, Engine observer) {
      CompletableFuture<Lease> waiter = beginToWait(client.lock(name), observer);
      awaitListening(nodeOf(name));
      return waiter;
    }
  }

  @Nested
  class WithoutReplicas extends WakeUps {
    WithoutReplicas() {
      super(RedisCluster.start(Kind.REDIS_7_0, 3));
    }

    @AfterEach
    void noneIsLeft() {
      closeClients();
      for (RedisServer node : cluster.primaries()) {
        await().atMost(PATIENCE).until(() -> listeners(node).isEmpty());
      }
    }

    private static String listeners(RedisServer node) {
      return (String) node.command("CLIENT", "LIST", "TYPE", "pubsub");
    }

    @Test
    void aMessageGoesToTheNodeOfTheLockAlone() throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      Lease held = holder.lock("a").acquire();
      CompletableFuture<Lease> waiter = listensFor(client, "a", holder);
      List<CommandCounts> counts = cluster.primaries().stream().map(CommandCounts::from).toList();
      List<String> passedOn = passedOn();
      held.release();
      served(waiter).release();
      assertThat(sum(counts, "spublish")).isEqualTo(1);
      assertThat(sum(counts, "publish")).isZero();
      for (RedisServer node : cluster.primaries()) {
        assertThat(channels(node)).hasSize(node.equals(nodeOf("a")) ? 1 : 0);
        assertThat(channelsOfAll(node)).isEmpty();
      }
      assertThat(passedOn()).isEqualTo(passedOn);
    }

    /** What each node says of the messages that it has sent to others. */
    private List<String> passedOn() {
      return cluster.primaries().stream()
          .map(node -> (String) node.command("CLUSTER", "INFO"))
          .flatMap(String::lines)
          .filter(line -> line.contains("messages_publish"))
          .toList();
    }

    private static long sum(List<CommandCounts> counts, String command) {
      return counts.stream().mapToLong(each -> each.of(command)).sum();
    }

    @Test
    void thereIsOneConnectionToEachNodeHoweverManyLocks() throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      List<Lease> held = new ArrayList<>();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        held.add(holder.lock("name-" + i).acquire());
        waiters.add(beginToWait(client.lock("name-" + i), holder));
      }
      int buckets =
          (int) Stream.iterate(0, i -> i + 1).limit(60).map(this::slotOf).distinct().count();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  cluster.primaries().stream().mapToInt(node -> channels(node).size()).sum()
                      == buckets);
      for (RedisServer node : cluster.primaries()) {
        assertThat(listeners(node)).hasLineCount(1);
      }
      held.forEach(Lease::release);
      for (CompletableFuture<Lease> waiter : waiters) {
        served(waiter).release();
      }
      requireNothingLeft(client);
    }

    private int slotOf(int number) {
      return slot("name-" + number);
    }

    /** And what it would have heard meanwhile is asked for. */
    @Test
    void aChannelFollowsItsSlot() throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      Lease held = holder.lock("a").acquire();
      CompletableFuture<Lease> waiter = listensFor(client, "a", holder);
      move(slot("a"), from, to, () -> {});
      awaitListening(to);
      await().atMost(PATIENCE).until(() -> listeners(from).isEmpty());
      held.release();
      Lease next = served(waiter);
      Engine another = unpolled();
      CompletableFuture<Lease> again = beginToWait(another.lock("a"), holder);
      move(slot("a"), to, from, () -> {});
      awaitListening(from, 2);
      next.release();
      served(again).release();
      requireNothingLeft(client);
    }

    /** One bucket has moved; the others of its node are heard as before, over one connection. */
    @Test
    void othersOfTheNodeAreHeardMeanwhile() throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      String stays =
          Stream.iterate(0, i -> i + 1)
              .map(i -> "name-" + i)
              .filter(other -> nodeOf(other).equals(from) && slot(other) != slot("a"))
              .findFirst()
              .orElseThrow();
      Lease first = holder.lock("a").acquire();
      CompletableFuture<Lease> waiter = listensFor(client, "a", holder);
      Lease second = holder.lock(stays).acquire();
      CompletableFuture<Lease> other = beginToWait(client.lock(stays), holder);
      awaitListening(from, 2);
      move(
          slot("a"),
          from,
          to,
          () -> {
            second.release();
            assertThat(other).succeedsWithin(PATIENCE);
          });
      awaitListening(to);
      assertThat(channels(from)).hasSize(1);
      other.join().release();
      first.release();
      served(waiter).release();
      move(slot("a"), to, from, () -> {});
    }

    @Test
    void aConnectionThatBreaksCostsNoWakeUp() throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      for (int i = 0; i < 5; i++) {
        Lease held = holder.lock("a").acquire();
        CompletableFuture<Lease> waiter = listensFor(client, "a", holder);
        assertThat(nodeOf("a").command("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
        held.release();
        served(waiter).release();
      }
    }

    /**
     * As the page lists them. Without the last three the client does not know whether there are
     * such channels, as with a server before 7.0: then one is heard from all nodes.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLeastPermissionsAreEnough(boolean sharded) throws Exception {
      String url = sharded ? allow(SHARDED) : allow(List.of("+publish", "+subscribe"));
      Engine client = unpolled(url);
      assertThat(client.diagnose()).extracting(Finding::check).doesNotContain("wake-ups");
      Queue<Finding> warned = new ConcurrentLinkedQueue<>();
      Engine holder = clientAt(url, how -> how.listener(AccessTest.Access.warnings(warned)));
      Lease held = holder.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client());
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  cluster.primaries().stream()
                          .mapToInt(node -> (sharded ? channels(node) : channelsOfAll(node)).size())
                          .sum()
                      == 1);
      held.release();
      served(waiter).release();
      await()
          .untilAsserted(
              () ->
                  assertThat(warned)
                      .extracting(Finding::check)
                      .contains("server")
                      .doesNotContain("wake-ups"));
    }

    @Test
    void aClientThatMayWakeNoOtherIsWarned() {
      List<String> mute = new ArrayList<>(SHARDED);
      mute.remove("+spublish");
      Queue<Finding> warned = new ConcurrentLinkedQueue<>();
      Engine client =
          clientAt(allow(mute), how -> how.listener(AccessTest.Access.warnings(warned)));
      await()
          .untilAsserted(() -> assertThat(warned).extracting(Finding::check).contains("wake-ups"));
      assertThat(client.diagnose())
          .extracting(Finding::detail)
          .anyMatch(detail -> detail.startsWith("all 3 nodes: SPUBLISH on " + prefix() + "{"));
    }

    /** What each user needs, and these. Returns the URL. */
    private String allow(List<String> more) {
      List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on"));
      command.addAll(List.of(">one", "~" + prefix() + "*", "&" + prefix() + "*"));
      command.addAll(AccessTest.Access.TO_LOCK);
      command.removeAll(List.of("+publish", "+subscribe"));
      command.add("+cluster|slots");
      command.addAll(more);
      cluster.primaries().forEach(node -> node.command(command.toArray(String[]::new)));
      return cluster.url().replace("://", "://app:one@");
    }
  }

  @Nested
  class WithReplicas extends WakeUps {
    WithReplicas() {
      super(RedisCluster.startWithReplicas(Kind.VALKEY_8, 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "TAKEOVER", "kill"})
    void aChannelFollowsAFailover(String how) throws Exception {
      Engine holder = client();
      Engine client = unpolled();
      RedisServer node = nodeOf("a");
      RedisServer replica = cluster.replicaOf(node);
      Lease held = holder.lock("a").acquire();
      CompletableFuture<Lease> waiter = listensFor(client, "a", holder);
      awaitReplicated(node, replica);
      if (how.equals("kill")) {
        node.kill();
      } else {
        failOver(replica, how);
      }
      await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .untilAsserted(() -> held.ensureHeld(held.remaining().plusNanos(1)));
      awaitListening(replica);
      held.release();
      served(waiter).release();
      if (how.equals("kill")) {
        node.start();
        cluster.awaitWhole();
      }
      comeBack(node);
      requireNothingLeft(client);
    }
  }
}
