package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A cluster of three primaries. */
class ClusterTest {
  @Nested
  class Whole extends Clusters {
    Whole() {
      super(RedisCluster.start(Kind.REDIS_7_0, 3));
    }

    @Test
    void locksAreOnAllNodesAndEachVerbFindsThem() throws Exception {
      Engine client = client();
      Engine other = client();
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        held.add(client.lock("name-" + i).acquire());
      }
      for (RedisServer node : cluster.primaries()) {
        assertThat((List<?>) node.command("KEYS", prefix() + "*}:name:*")).isNotEmpty();
      }
      assertThat(other.list()).hasSize(60);
      assertThat(other.lock("name-7").breakLease(held.get(7).fencingToken())).isTrue();
      List<CompletableFuture<Lease>> waiters = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        waiters.add(other.lock("name-" + i).acquireAsync(PATIENCE.multipliedBy(2)));
      }
      assertThatThrownBy(held.remove(7)::release).isInstanceOf(LeaseLostException.class);
      held.forEach(Lease::release);
      for (CompletableFuture<Lease> waiter : waiters) {
        served(waiter).release();
      }
      requireNothingLeft(client);
      requireNothingLeft(other);
    }

    @Test
    void aFindingNamesTheNodesThatItIsAbout() {
      Engine client = client();
      RedisServer odd = cluster.primaries().get(1);
      odd.command("CONFIG", "SET", "timeout", "5");
      try {
        List<Finding> found = client.diagnose();
        assertThat(detail(found, "timeout"))
            .startsWith("Redis at 127.0.0.1:" + odd.port() + ": timeout 5 ");
        assertThat(detail(found, "server")).startsWith("all 3 nodes: Redis 7.0.");
      } finally {
        odd.command("CONFIG", "SET", "timeout", "0");
      }
    }

    /** Also if the request of the check of latency is for the node. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatDoesNotAnswerIsAFinding(boolean isPaused) {
      Engine client = clientAt(cluster.url(), how -> how.requestTimeout(Duration.ofSeconds(2)));
      RedisServer node = nodeOf("leasehold-doctor");
      if (isPaused) {
        node.pause();
      } else {
        node.kill();
      }
      try {
        List<Finding> found = client.diagnose();
        String where = "Redis at 127.0.0.1:" + node.port();
        assertThat(detail(found, "node")).contains(where);
        assertThat(detail(found, "latency")).startsWith("a request failed: ").contains(where);
        assertThat(detail(found, "server"))
            .startsWith("Redis at 127.0.0.1:")
            .contains(", Redis at 127.0.0.1:", ": Redis 7.0.")
            .doesNotContain(where);
      } finally {
        if (isPaused) {
          node.resume();
        } else {
          node.start();
        }
        cluster.awaitWhole();
      }
      requireNothingLeft(client);
    }

    private static String detail(List<Finding> found, String check) {
      assertThat(found).extracting(Finding::check).containsOnlyOnce(check);
      return found.stream().filter(each -> each.check().equals(check)).findAny().get().detail();
    }

    /** Though the keys of the layout and of the old buckets are in many slots. */
    @Test
    void anOldProcessAndANewOneExcludeEachOther() throws Exception {
      String counter = prefix() + "{67}:number";
      RedisServer node = cluster.ofSlot(JedisClusterCRC16.getSlot(counter));
      assertThat(node.command("SET", counter, "1700000000000000")).isEqualTo("OK");
      String state = prefix() + "{67}:name:a";
      String value = "x1700000000000000 " + "0".repeat(32) + " old";
      assertThat(node.command("SET", state, value, "PX", "600000")).isEqualTo("OK");
      Engine client = client();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      long token = client.lock("a").inspect().orElseThrow().holders().get(0).fencingToken();
      assertThat(client.lock("a").breakLease(token)).isTrue();
      client.lock("a").acquire().release();
      requireNothingLeft(client);
    }

    /** It knows the nodes, and how to come in; also at one that it has not met. */
    @ParameterizedTest
    @EnumSource(names = {"RESP2", "RESP3"})
    void aClientOfTheApplicationIsUsed(RedisProtocol protocol) throws Exception {
      allow("app", "one");
      try (RedisClusterClient jedis =
          RedisClusterClient.builder()
              .nodes(seed())
              .clientConfig(
                  DefaultJedisClientConfig.builder()
                      .user("app")
                      .password("one")
                      .protocol(protocol)
                      .build())
              .build()) {
        requireLocks(RedisStores.using(jedis, prefix()));
        assertThat(jedis.ping()).as("it is the application's").isEqualTo("PONG");
      }
    }

    @Test
    void anAddressOfTheApplicationIsUsed() throws Exception {
      allow("app", "one");
      JedisClientConfig config =
          DefaultJedisClientConfig.builder().user("app").password("one").build();
      requireLocks(RedisStores.at(RedisAddress.ofCluster(seed(), config), prefix()));
    }

    /** Its options may be those of Lettuce. */
    @Test
    void aLettuceClientOfTheApplicationIsUsed() throws Exception {
      allow("app", "one");
      RedisServer seed = cluster.primaries().get(0);
      RedisURI uri =
          RedisURI.Builder.redis(seed.host(), seed.port()).withAuthentication("app", "one").build();
      try (io.lettuce.core.cluster.RedisClusterClient lettuce =
          io.lettuce.core.cluster.RedisClusterClient.create(uri)) {
        requireLocks(LettuceStores.using(lettuce, uri, prefix()));
        assertThat(lettuce.connect().sync().ping()).as("it is the application's").isEqualTo("PONG");
      }
    }

    private void allow(String user, String password) {
      for (RedisServer node : cluster.nodes()) {
        assertThat(node.command("ACL", "SETUSER", user, "on", ">" + password, "+@all", "~*", "&*"))
            .isEqualTo("OK");
      }
    }

    private Set<HostAndPort> seed() {
      RedisServer seed = cluster.primaries().get(0);
      return Set.of(new HostAndPort(seed.host(), seed.port()));
    }

    /** Which fails if it is not the user that was allowed. */
    private void requireLocks(StoreFactory store) throws Exception {
      Engine client = add(Leasehold.builder(store).ttl(Duration.ofMinutes(10)));
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        held.add(client.lock("name-" + i).acquire(PATIENCE));
      }
      assertThat(client.list()).hasSize(20);
      for (RedisServer node : cluster.nodes()) {
        assertThat((String) node.command("CLIENT", "LIST")).contains("user=app");
      }
      held.forEach(Lease::release);
      Lease busy = client().lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client);
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      move(slot("a"), from, to, () -> {});
      busy.release();
      served(waiter).release();
      move(slot("a"), to, from, () -> {});
      requireNothingLeft(client);
      client.close();
    }

    /** Renewed in batches, which are split. */
    @Test
    void manyLeasesAreRenewed() throws Exception {
      Engine client = clientAt(cluster.url(), how -> how.ttl(Duration.ofSeconds(6)));
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        held.add(client.lock("name-" + i).acquire(PATIENCE));
      }
      pass(Duration.ofSeconds(13));
      assertThat(held).allMatch(Lease::isHeld);
      held.forEach(Lease::release);
      requireNothingLeft(client);
    }

    @Test
    void aSlotMovesWhileItsLockIsHeldAndWaitedFor() throws Exception {
      Engine client = client();
      Lease held = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      int slot = slot("a");
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      move(slot, from, to, () -> {});
      held.ensureHeld(held.remaining().plusNanos(1));
      held.release();
      Lease next = served(waiter);
      assertThat((List<?>) to.command("KEYS", prefix() + "*}:name:a")).hasSize(1);
      next.release();
      move(slot, to, from, () -> {});
      client.lock("a").acquire(PATIENCE).release();
      requireNothingLeft(client);
    }

    /** Its keys are apart then: a server refuses what touches several, until they are together. */
    @Test
    void whileTheKeysAreApartANewLockIsUnavailable() throws Exception {
      Engine client = client();
      client.lock("a").acquire().release();
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      move(
          slot("a"),
          from,
          to,
          () ->
              assertThatThrownBy(() -> client.lock("a").tryAcquire())
                  .isInstanceOfSatisfying(
                      StoreException.class,
                      e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
                  .hasMessageContaining("is being moved"));
      client.lock("a").acquire(PATIENCE).release();
      move(slot("a"), to, from, () -> {});
      client.lock("a").acquire(PATIENCE).release();
      requireNothingLeft(client);
    }

    /** They need one key, so a slot that moves for long ends no lease that no client waits for. */
    @Test
    void whileTheKeysAreApartLeasesAreRenewedAndReleased() throws Exception {
      Engine client = client();
      List<String> names = sharing("a", 3);
      Lease first = client.lock(names.get(0)).acquire();
      Lease second = client.lock(names.get(1)).acquire();
      Lease busy = client.lock(names.get(2)).acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock(names.get(2)), client);
      RedisServer from = nodeOf("a");
      RedisServer to = nodeOf(elsewhere("a"));
      begin(slot("a"), from, to);
      byte[] moved = new Keys(prefix()).of(names.get(1)).state();
      migrate(Command.text(moved), from, to);
      migrate(Command.text(new Keys(prefix()).of(names.get(2)).order()), from, to);
      for (Lease lease : List.of(first, second)) {
        ServerTest.renew(lease);
        lease.release();
      }
      assertThatThrownBy(() -> ServerTest.renew(busy)).isInstanceOf(StoreException.class);
      finish(slot("a"), from, to);
      ServerTest.renew(busy);
      busy.release();
      served(waiter).release();
      move(slot("a"), to, from, () -> {});
      requireNothingLeft(client);
    }

    /** Also where INFO is not permitted: as far as a user may do what locks need, and no more. */
    @ParameterizedTest
    @ValueSource(strings = {"+info", "-info"})
    void aNodeIsRefusedAsAServerAlone(String permission) {
      RedisServer node = cluster.primaries().get(0);
      node.command("ACL", "SETUSER", "default", permission);
      assertThatThrownBy(() -> clientAt(node.url(), how -> how))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("write redis+cluster://");
      node.command("ACL", "SETUSER", "default", "+info");
    }

    /** A command that is MOVED was not done, and is sent once to where it belongs. */
    @Test
    void nothingIsDoneTwice() throws Exception {
      RedisServer first = cluster.primaries().get(0);
      Engine client = client();
      List<CommandCounts> counts = cluster.primaries().stream().map(CommandCounts::from).toList();
      for (int i = 0; i < 30; i++) {
        client.lock("name-" + i).acquire().release();
      }
      assertThat(counts.stream().mapToLong(each -> each.of("evalsha")).sum()).isEqualTo(60);
      assertThat(first.process().isAlive()).isTrue();
    }
  }

  @Nested
  class Replicated extends Clusters {
    Replicated() {
      super(RedisCluster.startWithReplicas(Kind.VALKEY_8, 3));
    }

    @Test
    void aNodeThatIsKilledHarmsNoLockElsewhereAndIsReplaced() throws Exception {
      Engine client = clientAt(cluster.url(), how -> how.requestTimeout(Duration.ofSeconds(2)));
      Lease here = client.lock("a").acquire();
      String elsewhere = elsewhere("a");
      Lease there = client.lock(elsewhere).acquire();
      RedisServer node = nodeOf("a");
      RedisServer replica = cluster.replicaOf(node);
      awaitReplicated(node, replica);
      node.kill();
      there.ensureHeld(there.remaining().plusNanos(1));
      there.release();
      await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .untilAsserted(() -> here.ensureHeld(here.remaining().plusNanos(1)));
      here.release();
      node.start();
      cluster.awaitWhole();
      comeBack(node);
      requireNothingLeft(client);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "TAKEOVER"})
    void aReplicaTakesOver(String how) throws Exception {
      Engine client = client();
      Engine other = client();
      Lease held = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), client);
      RedisServer node = nodeOf("a");
      RedisServer replica = cluster.replicaOf(node);
      awaitReplicated(node, replica);
      failOver(replica, how);
      await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .untilAsserted(() -> held.ensureHeld(held.remaining().plusNanos(1)));
      held.release();
      served(waiter).release();
      comeBack(node);
      requireNothingLeft(client);
    }
  }

  @Test
  void withoutNodesThereIsOneClearError() {
    assertThatThrownBy(
            () -> Leasehold.connect("redis+cluster://:geheim@127.0.0.1:1,127.0.0.1:2").close())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("127.0.0.1:1,127.0.0.1:2")
        .hasMessageContaining("Connection refused")
        .hasMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis+cluster://:geheim@127.0.0.1/1",
        "redis+cluster://:geheim@",
        "redis+cluster://127.0.0.1?database=geheim",
      })
  void aUrlThatIsNoneIsRefused(String url) {
    assertThatThrownBy(() -> Leasehold.connect(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("geheim")
        .hasNoCause();
  }
}
