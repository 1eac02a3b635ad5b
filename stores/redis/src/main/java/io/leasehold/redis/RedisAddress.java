package io.leasehold.redis;

import io.leasehold.spi.support.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/**
 * Where Redis is and how to come in, in the words of Jedis: what an application made its client of,
 * if that client does not tell it.
 *
 * <pre>{@code
 * JedisSentineled jedis = new JedisSentineled("main", config, sentinels, sentinelConfig);
 * RedisAddress address = RedisAddress.ofSentinels("main", config, sentinels, sentinelConfig);
 * LockClient locks = Leasehold.builder(RedisStores.at(address)).build();
 * }</pre>
 *
 * <p>Stores connect as these settings say: with their user and password, asked for anew for each
 * connection, their TLS and client certificate, their database and their time limits. Immutable.
 */
public final class RedisAddress {
  private final Function<Clock, Wire> wires;
  private final Optional<Connections> primary;

  private RedisAddress(Function<Clock, Wire> wires, Optional<Connections> primary) {
    this.wires = wires;
    this.primary = primary;
  }

  private static RedisAddress of(Connections primary) {
    return new RedisAddress(clock -> new JedisWire(primary, clock), Optional.of(primary));
  }

  /** One server, as of {@code JedisPooled} and {@code JedisPool}. */
  public static RedisAddress of(HostAndPort server, JedisClientConfig config) {
    Access access = Access.of(config);
    return of(new Connections("Redis at " + server, access.to(server)));
  }

  /**
   * The primary that Sentinels name, as of {@code JedisSentineled} and {@code JedisSentinelPool}.
   *
   * @param primary what the Sentinels call it
   * @param config of connections to the servers
   * @param sentinelConfig of connections to the Sentinels
   * @throws IllegalArgumentException if there is no Sentinel
   */
  public static RedisAddress ofSentinels(
      String primary,
      JedisClientConfig config,
      Set<HostAndPort> sentinels,
      JedisClientConfig sentinelConfig) {
    Access servers = Access.of(config);
    Access login = Access.of(sentinelConfig);
    List<Connections> each =
        some(sentinels).stream()
            .map(at -> new Connections("the Sentinel at " + at, () -> login.open(at)))
            .toList();
    return of(
        new Connections(
            "the primary '" + primary + "' of the Sentinels at " + sentinels,
            new Sentinels(each, primary, servers::open)));
  }

  /**
   * A cluster, as of {@code JedisCluster}.
   *
   * @param nodes some of its nodes: the others are learnt from them
   * @throws IllegalArgumentException if there is no node
   */
  public static RedisAddress ofCluster(Set<HostAndPort> nodes, JedisClientConfig config) {
    Access access = Access.of(config);
    List<HostAndPort> seeds = some(nodes);
    return new RedisAddress(clock -> new ClusterWire(seeds, access::open, clock), Optional.empty());
  }

  private static List<HostAndPort> some(Set<HostAndPort> addresses) {
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("there is no address of a server");
    }
    return List.copyOf(addresses);
  }

  /** What connects there. */
  Wire wire(Clock clock) {
    return wires.apply(clock);
  }

  /**
   * What makes connections there.
   *
   * @throws IllegalArgumentException if it is a cluster
   */
  Connections connections() {
    return primary.orElseThrow(
        () -> new IllegalArgumentException("this works with one primary, and not with a cluster"));
  }
}
