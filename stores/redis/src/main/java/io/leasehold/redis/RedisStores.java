package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.commons.pool2.PooledObjectFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.Pool;

/**
 * Opens stores over a Jedis client of the application, with its address, security and timeouts.
 *
 * <pre>{@code
 * LockClient locks = Leasehold.builder(RedisStores.using(jedis)).build();
 * }</pre>
 *
 * <p>A store opens a few separate connections, so that its requests and those of the application do
 * not wait for each other. It takes none out of the client's pool, and does not close the client. A
 * prefix has 1 to 100 characters, without braces and wildcards; another one is refused with {@link
 * IllegalArgumentException}.
 *
 * <p>{@link #usingPool} and {@link #at} are for clients that older versions of Jedis have too,
 * which lack the types of the other methods.
 *
 * <p>Stateless and thread-safe.
 */
public final class RedisStores {
  private static final String OF_SENTINELS =
      "; write RedisStores.at(RedisAddress.ofSentinels(NAME, CONFIG, SENTINELS, SENTINEL_CONFIG))"
          + " with what it was made of";

  private RedisStores() {}

  /** As {@link #using(RedisClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store that connects with the settings of this client.
   *
   * @param prefix the prefix of every key
   */
  public static StoreFactory using(RedisClient client, String prefix) {
    return usingPool(client.getPool(), prefix);
  }

  /** As {@link #using(RedisSentinelClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisSentinelClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store on the primary that this client follows. It goes to another one a tenth of a second
   * after the client at the latest, and ends all connections to the one before.
   *
   * @param prefix the prefix of every key
   * @throws IllegalArgumentException if the client does not tell its pool: before Jedis 8
   */
  public static StoreFactory using(RedisSentinelClient client, String prefix) {
    try {
      ClientPrimary primary =
          new ClientPrimary(() -> client.getPrimaryNodesConnectionMap().values().iterator().next());
      return of(new Connections("the primary of the RedisSentinelClient", primary), prefix);
    } catch (NoSuchMethodError e) {
      throw new IllegalArgumentException(
          "a RedisSentinelClient tells how it connects since Jedis 8" + OF_SENTINELS, e);
    }
  }

  /** As {@link #using(RedisClusterClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClusterClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store in a cluster. It opens a few separate connections to each node, as the client opens its
   * own, and follows slots that move by itself. A store opens only while the client knows a node.
   *
   * @param prefix the prefix of every key
   */
  public static StoreFactory using(RedisClusterClient client, String prefix) {
    return opening(
        clock -> {
          List<HostAndPort> seeds =
              client.getClusterNodes().keySet().stream().map(HostAndPort::from).toList();
          return new ClusterWire(seeds, where -> Link.of(factory(client, where)), clock);
        },
        prefix);
  }

  /** A node may have joined since the client asked last. */
  private static PooledObjectFactory<Connection> factory(
      RedisClusterClient client, HostAndPort where) {
    ConnectionPool pool = client.getClusterNodes().get(where.toString());
    if (pool == null) {
      client.refreshClusterTopology();
      pool = client.getClusterNodes().get(where.toString());
    }
    if (pool == null) {
      throw new JedisConnectionException("the application's client knows no node " + where);
    }
    return pool.getFactory();
  }

  /** As {@link #usingPool(Pool, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory usingPool(Pool<?> pool) {
    return usingPool(pool, Keys.PREFIX);
  }

  /**
   * A store that connects as this pool does: a {@code JedisPool}, or that of a {@code JedisPooled}.
   *
   * @param prefix the prefix of every key
   * @throws IllegalArgumentException if it is a {@code JedisSentinelPool}
   */
  public static StoreFactory usingPool(Pool<?> pool, String prefix) {
    return of(connections(pool), prefix);
  }

  /** Connections as this pool makes them. */
  @SuppressWarnings("deprecation") // since Jedis 8
  static Connections connections(Pool<?> pool) {
    if (pool instanceof JedisSentinelPool) {
      throw new IllegalArgumentException(
          "a JedisSentinelPool does not tell to which server it connects" + OF_SENTINELS);
    }
    PooledObjectFactory<?> factory = pool.getFactory();
    return new Connections("the Redis server", () -> Link.of(factory));
  }

  /** As {@link #at(RedisAddress, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory at(RedisAddress address) {
    return at(address, Keys.PREFIX);
  }

  /**
   * A store at an address of the application.
   *
   * @param prefix the prefix of every key
   */
  public static StoreFactory at(RedisAddress address, String prefix) {
    return opening(address::wire, prefix);
  }

  private static StoreFactory of(Connections connections, String prefix) {
    return opening(clock -> new JedisWire(connections, clock), prefix);
  }

  /** A store of Jedis over what this makes. */
  static StoreFactory opening(Function<Clock, Wire> wires, String prefix) {
    Keys keys = new Keys(prefix);
    return listener -> {
      ClientLibrary.JEDIS.require();
      Clock clock = new SystemClock();
      Wire wire = ClientLibrary.JEDIS.use(() -> wires.apply(clock));
      return RedisStore.open(wire, keys, Optional.empty(), clock, listener);
    };
  }
}
