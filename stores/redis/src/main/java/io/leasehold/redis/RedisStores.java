package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.util.List;
import java.util.Optional;
import org.apache.commons.pool2.PooledObjectFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Opens stores over a Jedis client of the application, with its address, security and timeouts.
 *
 * <pre>{@code
 * LockClient locks = Leasehold.builder(RedisStores.using(jedis)).build();
 * }</pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class RedisStores {
  private RedisStores() {}

  /** As {@link #using(RedisClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store that connects with the settings of this client. The store opens a few separate
   * connections, so that its requests and those of the application do not wait for each other. It
   * does not use the client's pool, and does not close the client.
   *
   * @param prefix the prefix of every key: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClient client, String prefix) {
    Keys keys = new Keys(prefix);
    Connections connections = connections(client);
    return listener -> RedisStore.open(connections, keys, new SystemClock(), listener);
  }

  /** As {@link #using(RedisClusterClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClusterClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * As {@link #using(RedisClient, String)}, of a cluster. The store opens a few separate
   * connections to each node, as the client opens its own, and follows slots that move by itself. A
   * store opens only while the client knows a node.
   *
   * @param prefix the prefix of every key: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClusterClient client, String prefix) {
    Keys keys = new Keys(prefix);
    return listener -> {
      ClientLibrary.JEDIS.require();
      Clock clock = new SystemClock();
      List<HostAndPort> seeds =
          client.getClusterNodes().keySet().stream().map(HostAndPort::from).toList();
      Wire wire = new ClusterWire(seeds, where -> made(factory(client, where)), clock);
      return RedisStore.open(wire, keys, Optional.empty(), clock, listener);
    };
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

  /** Connections with the settings of this client. */
  static Connections connections(RedisClient client) {
    PooledObjectFactory<Connection> factory = client.getPool().getFactory();
    return new Connections("the Redis server", () -> made(factory));
  }

  private static Link made(PooledObjectFactory<Connection> factory) {
    try {
      Connection made = factory.makeObject().getObject();
      return new Link(made, made::forceDisconnect);
    } catch (JedisException e) {
      throw e;
    } catch (Exception e) {
      throw new JedisConnectionException("cannot connect", e);
    }
  }
}
