package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.SystemClock;
import org.apache.commons.pool2.PooledObjectFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
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
