package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Optional;

/**
 * Opens stores over a Lettuce client of the application, with its address, security and event
 * loops. {@link RedisStores} is faster for callers that block: there a request runs on the caller's
 * thread, here on an event loop.
 *
 * <pre>{@code
 * client.setOptions(
 *     ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
 * LockClient locks = Leasehold.builder(LettuceStores.using(client)).build();
 * }</pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class LettuceStores {
  /** The first connection of a process takes long, because it starts the event loops of Lettuce. */
  private static final Duration CONNECTING = Duration.ofSeconds(30);

  private LettuceStores() {}

  /** As {@link #using(RedisClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store that opens one connection of this client for requests, and another one as soon as a
   * caller waits. The store does not close the client.
   *
   * <p>By default, Lettuce keeps the commands of a broken connection and sends them again over the
   * next one, long after a lock was given up. So the client must have the option to reject commands
   * while it is disconnected; a store over another client fails to open.
   *
   * @param prefix the prefix of every key: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClient client, String prefix) {
    Keys keys = new Keys(prefix);
    return listener -> {
      Clock clock = new SystemClock();
      return RedisStore.open(wire(client, clock), keys, Optional.empty(), clock, listener);
    };
  }

  /**
   * As {@link #using(RedisClusterClient, RedisURI, String)}, with the prefix {@code leasehold:}.
   */
  public static StoreFactory using(RedisClusterClient client, RedisURI uri) {
    return using(client, uri, Keys.PREFIX);
  }

  /**
   * A store in the cluster of this client, with the nodes that it knows and its certificates. The
   * connections are of Jedis, at most three to each node: the client itself opens one for all that
   * an application asks of a node, and sends commands again. So it may have any options.
   *
   * @param uri one that the client was made of: user, password, and whether there is TLS
   * @param prefix the prefix of every key: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClusterClient client, RedisURI uri, String prefix) {
    return RedisStores.opening(
        clock -> {
          ClientLibrary.LETTUCE.require();
          return LettuceCluster.address(client, uri).wire(clock);
        },
        prefix);
  }

  static LettuceWire wire(RedisClient client, Clock clock) {
    if (client.getOptions().getDisconnectedBehavior() != DisconnectedBehavior.REJECT_COMMANDS
        || !client.getOptions().isAutoReconnect()) {
      throw new IllegalArgumentException(
          "the Lettuce client would send commands again after a reconnect, or never reconnect: give"
              + " it ClientOptions with disconnectedBehavior(REJECT_COMMANDS) and autoReconnect(true)");
    }
    ClientLibrary.LETTUCE.require();
    return ClientLibrary.LETTUCE.use(() -> LettuceWire.connect(client, clock, CONNECTING));
  }
}
