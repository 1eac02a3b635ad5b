package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A cluster: so many primaries, with a replica each if that is asked for.
 *
 * <p>Its methods return once what they say has happened.
 */
public final class RedisCluster implements AutoCloseable {
  /** How many slots it has. */
  public static final int SLOTS = 16_384;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<RedisServer> primaries = new ArrayList<>();
  private final List<RedisServer> replicas = new ArrayList<>();

  private RedisCluster() {}

  /** Starts so many primaries, without replicas. */
  public static RedisCluster start(Kind kind, int primaries) {
    return start(kind, primaries, false, node -> node);
  }

  /** Starts one primary that has all slots, and speaks TLS only. */
  public static RedisCluster startWithTls(Kind kind) {
    // Alone it hears of no other node what its address is
    return start(
        kind,
        1,
        false,
        node -> node.tls().config("tls-cluster yes").config("cluster-announce-ip 127.0.0.1"));
  }

  /** Starts so many primaries, and a replica of each. */
  public static RedisCluster startWithReplicas(Kind kind, int primaries) {
    return start(kind, primaries, true, node -> node);
  }

  private static RedisCluster start(
      Kind kind, int primaries, boolean replicated, UnaryOperator<RedisServerBuilder> how) {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < (replicated ? 2 : 1) * primaries; i++) {
        (i < primaries ? cluster.primaries : cluster.replicas).add(node(kind, how));
      }
      cluster.join();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static RedisServer node(Kind kind, UnaryOperator<RedisServerBuilder> how) {
    RedisServerBuilder node =
        RedisServer.of(kind)
            .persistent()
            .config("cluster-enabled yes")
            .config("cluster-port " + Ports.free())
            .config("cluster-node-timeout 3000");
    return how.apply(node).start();
  }

  private void join() {
    int number = primaries.size();
    RedisServer first = primaries.get(0);
    for (int i = 0; i < number; i++) {
      primaries
          .get(i)
          .command(
              "CLUSTER",
              "ADDSLOTSRANGE",
              "" + i * SLOTS / number,
              "" + ((i + 1) * SLOTS / number - 1));
      // Epochs of their own from the start, so that none is given up for another's
      primaries.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (RedisServer node : nodes()) {
      List<?> port = (List<?>) first.command("CONFIG", "GET", "cluster-port");
      node.command("CLUSTER", "MEET", first.host(), "" + first.port(), (String) port.get(1));
    }
    await()
        .atMost(PATIENCE)
        .until(() -> nodes().stream().allMatch(node -> knows(node, nodes().size())));
    for (int i = 0; i < replicas.size(); i++) {
      replicas.get(i).command("CLUSTER", "REPLICATE", id(primaries.get(i)));
    }
    await().atMost(PATIENCE).until(() -> nodes().stream().allMatch(RedisCluster::isWhole));
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                replicas.stream()
                    .allMatch(
                        node -> "up".equals(node.info("replication").get("master_link_status"))));
  }

  private static boolean knows(RedisServer node, int number) {
    return ((String) node.command("CLUSTER", "NODES"))
            .lines()
            .filter(line -> line.contains(" connected"))
            .count()
        == number;
  }

  private static boolean isWhole(RedisServer node) {
    String info = (String) node.command("CLUSTER", "INFO");
    return info.contains("cluster_state:ok") && info.contains("cluster_slots_assigned:" + SLOTS);
  }

  /** Waits until all nodes that run call the cluster whole. */
  public void awaitWhole() {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                nodes().stream()
                    .filter(node -> node.process().isAlive())
                    .allMatch(RedisCluster::isWhole));
  }

  /** What a node is called in the cluster. */
  public static String id(RedisServer node) {
    return (String) node.command("CLUSTER", "MYID");
  }

  /** Those that were primaries at first. */
  public List<RedisServer> primaries() {
    return List.copyOf(primaries);
  }

  /** The replica that a primary had at first. */
  public RedisServer replicaOf(RedisServer primary) {
    return replicas.get(primaries.indexOf(primary));
  }

  /** All. */
  public List<RedisServer> nodes() {
    List<RedisServer> all = new ArrayList<>(primaries);
    all.addAll(replicas);
    return all;
  }

  /** The one of them that was given the slot at first. */
  public RedisServer ofSlot(int slot) {
    for (int i = 0; i < primaries.size(); i++) {
      if (slot < (i + 1) * SLOTS / primaries.size()) {
        return primaries.get(i);
      }
    }
    throw new IllegalArgumentException("no slot " + slot);
  }

  /** The URL for clients of this library: all the first primaries. */
  public String url() {
    return primaries.stream()
        .map(each -> each.host() + ":" + each.port())
        .collect(Collectors.joining(",", "redis+cluster://", ""));
  }

  /** Ends all. */
  @Override
  public void close() {
    nodes().forEach(RedisServer::close);
  }
}
