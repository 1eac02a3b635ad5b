package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.util.Set;

/**
 * Opens stores on Redis and Valkey servers: {@code
 * redis://[user[:password]@]host[:port][/database]}, {@code rediss://} with TLS. Parameters: {@code
 * prefix}, what every key begins with ({@code leasehold:}); {@code ca}, with TLS a file with the
 * certificates to trust, instead of the JDK's own, and {@code cert} and {@code key} with the
 * client's certificate and its key. User and password are taken from the environment, {@code
 * LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}, if the URL has none. Percent-encode what is
 * special in a URL.
 *
 * <p>To open one fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the server does
 * not know the password, lacks a permission or is too old, {@code UNAVAILABLE} if it cannot be
 * reached. Open stores are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class RedisStoreProvider implements StoreProvider {
  /** For {@link java.util.ServiceLoader}. */
  public RedisStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    Connections connections = connections(url);
    Keys keys = new Keys(url.parameter("prefix").orElse(Keys.PREFIX));
    return listener -> RedisStore.open(connections, keys, new SystemClock(), listener);
  }

  static Connections connections(StoreUrl url) {
    ClientLibrary.JEDIS.require();
    Connections connections =
        ClientLibrary.JEDIS.use(() -> ServerAddress.of(url, System.getenv()).connections());
    url.requireOnly(ServerAddress.PARAMETERS);
    return connections;
  }
}
