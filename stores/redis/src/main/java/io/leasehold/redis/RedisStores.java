package io.leasehold.redis;

import io.leasehold.internal.Clock;
import io.leasehold.internal.SystemClock;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import org.apache.commons.pool2.PooledObjectFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Stores on a server that the application already has a client for, with its address, security and
 * timeouts.
 *
 * <pre>{@code
 * LockClient locks = Leasehold.builder(RedisStores.using(jedis)).build();
 * }</pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class RedisStores {
  /** What every key begins with where nothing else is chosen. */
  static final String PREFIX = "leasehold:";

  private static final Duration OPENING = Duration.ofSeconds(5);

  private RedisStores() {}

  /** As {@link #using(RedisClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClient client) {
    return using(client, PREFIX);
  }

  /**
   * A store that connects as this client does. It makes a few connections of its own, so that its
   * requests do not wait for the application's, nor these for its; the client's pool is not used
   * and the client is not closed.
   *
   * @param prefix what every key begins with: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClient client, String prefix) {
    Keys keys = new Keys(prefix);
    PooledObjectFactory<Connection> factory = client.getPool().getFactory();
    Connections connections = new Connections("the Redis server", () -> made(factory));
    return listener -> open(connections, keys, new SystemClock(), listener);
  }

  private static Connection made(PooledObjectFactory<Connection> factory) {
    try {
      return factory.makeObject().getObject();
    } catch (JedisException e) {
      throw e;
    } catch (Exception e) {
      throw new JedisConnectionException("cannot connect", e);
    }
  }

  static LockStore open(Connections connections, Keys keys, Clock clock, StoreListener listener) {
    return open(new JedisWire(connections, clock), keys, clock, listener);
  }

  static LockStore open(Wire wire, Keys keys, Clock clock, StoreListener listener) {
    try {
      Node node = Node.probe(wire, clock, OPENING);
      node.findings().forEach(listener::found);
      return new RedisStore(node, keys, clock, listener);
    } catch (RuntimeException e) {
      wire.close();
      throw e;
    }
  }
}
