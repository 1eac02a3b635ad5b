package io.leasehold.redis;

import static org.awaitility.Awaitility.await;

import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisServer;
import io.leasehold.testkit.contract.ClientTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Tests with a cluster of their own: what happens to it, and where names are. */
abstract class Clusters extends ClientTest {
  /** A server gives up a failover that is not done in five seconds. */
  private static final long GIVEN_UP_NANOS = Duration.ofSeconds(6).toNanos();

  final RedisCluster cluster;

  Clusters(RedisCluster cluster) {
    super("", ":");
    this.cluster = cluster;
  }

  final Engine client() {
    return clientAt(cluster.url(), how -> how);
  }

  final int slot(String name) {
    return JedisClusterCRC16.getSlot(new Keys(prefix()).of(name).state());
  }

  final RedisServer nodeOf(String name) {
    return cluster.ofSlot(slot(name));
  }

  /** A name that another node has. */
  final String elsewhere(String name) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> "name-" + i)
        .filter(other -> !nodeOf(other).equals(nodeOf(name)))
        .findFirst()
        .orElseThrow();
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  /** Names in one bucket. */
  final List<String> sharing(String name, int count) {
    return IntStream.range(0, 100_000)
        .mapToObj(i -> "name-" + i)
        .filter(other -> slot(other) == slot(name))
        .limit(count)
        .toList();
  }

  final void begin(int slot, RedisServer from, RedisServer to) {
    to.command("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", RedisCluster.id(from));
    from.command("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", RedisCluster.id(to));
  }

  static void migrate(String key, RedisServer from, RedisServer to) {
    from.command("MIGRATE", to.host(), "" + to.port(), key, "0", "5000");
  }

  final void finish(int slot, RedisServer from, RedisServer to) {
    List<?> keys = (List<?>) from.command("CLUSTER", "GETKEYSINSLOT", "" + slot, "1000");
    keys.forEach(key -> migrate(key.toString(), from, to));
    own(slot, from, to);
  }

  final void own(int slot, RedisServer from, RedisServer to) {
    for (RedisServer node : List.of(to, from)) {
      node.command("CLUSTER", "SETSLOT", "" + slot, "NODE", RedisCluster.id(to));
    }
    for (RedisServer node : cluster.primaries()) {
      node.command("CLUSTER", "SETSLOT", "" + slot, "NODE", RedisCluster.id(to));
    }
    cluster.awaitWhole();
  }

  final void move(int slot, RedisServer from, RedisServer to, Runnable meanwhile) {
    begin(slot, from, to);
    List<?> keys = (List<?>) from.command("CLUSTER", "GETKEYSINSLOT", "" + slot, "1000");
    keys.forEach(key -> migrate(key.toString(), from, to));
    meanwhile.run();
    own(slot, from, to);
  }

  final void failOver(RedisServer replica, String how) {
    String[] command =
        how.isEmpty()
            ? new String[] {"CLUSTER", "FAILOVER"}
            : new String[] {"CLUSTER", "FAILOVER", how};
    replica.command(command);
    AtomicLong asked = new AtomicLong(System.nanoTime());
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              boolean isPrimary = "master".equals(replica.info("replication").get("role"));
              if (!isPrimary && System.nanoTime() - asked.get() > GIVEN_UP_NANOS) {
                replica.command(command);
                asked.set(System.nanoTime());
              }
              return isPrimary;
            });
  }

  /** It is the primary again, as the other tests have it. */
  final void comeBack(RedisServer node) {
    await()
        .atMost(PATIENCE)
        .until(() -> "up".equals(node.info("replication").get("master_link_status")));
    failOver(node, "");
    cluster.awaitWhole();
  }

  static void awaitReplicated(RedisServer primary, RedisServer replica) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                offset(primary, "master_repl_offset").equals(offset(replica, "slave_repl_offset")));
  }

  static String offset(RedisServer server, String field) {
    return server.info("replication").getOrDefault(field, "");
  }
}
