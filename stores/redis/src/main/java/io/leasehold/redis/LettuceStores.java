package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import java.time.Duration;

/**
 * Stores on a server that the application already has a Lettuce client for, with its address,
 * security and event loops. Where there is a choice, {@link RedisStores} is faster for callers that
 * block: a request runs on their own threads there, and on an event loop here.
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
  /** The first connection of a process takes long: it starts Lettuce's event loops. */
  private static final Duration CONNECTING = Duration.ofSeconds(30);

  private LettuceStores() {}

  /** As {@link #using(RedisClient, String)}, with the prefix {@code leasehold:}. */
  public static StoreFactory using(RedisClient client) {
    return using(client, Keys.PREFIX);
  }

  /**
   * A store over one connection of this client for requests, and one more once somebody waits. The
   * client is not closed.
   *
   * <p>Lettuce keeps what was sent while a connection breaks and sends it again over the next one,
   * long after a lock was given up, unless it is told to reject commands while it is disconnected;
   * so a client without that option is refused when the store is opened.
   *
   * @param prefix what every key begins with: 1 to 100 characters, without braces and wildcards
   * @throws IllegalArgumentException if the prefix is not allowed
   */
  public static StoreFactory using(RedisClient client, String prefix) {
    Keys keys = new Keys(prefix);
    return listener -> {
      if (client.getOptions().getDisconnectedBehavior() != DisconnectedBehavior.REJECT_COMMANDS
          || !client.getOptions().isAutoReconnect()) {
        throw new IllegalArgumentException(
            "the Lettuce client would send commands again after a reconnect, or never reconnect: give"
                + " it ClientOptions with disconnectedBehavior(REJECT_COMMANDS) and autoReconnect(true)");
      }
      ClientLibrary.LETTUCE.require();
      Clock clock = new SystemClock();
      return RedisStore.open(
          ClientLibrary.LETTUCE.use(() -> LettuceWire.connect(client, clock, CONNECTING)),
          keys,
          clock,
          listener);
    };
  }
}
