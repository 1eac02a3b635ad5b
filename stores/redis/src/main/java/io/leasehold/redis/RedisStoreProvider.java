package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.util.Set;

/**
 * Opens stores on Redis and Valkey servers: {@code
 * redis://[user[:password]@]host[:port][/database]}, {@code rediss://} with TLS. Parameters: {@code
 * prefix}, the prefix of every key ({@code leasehold:}); with TLS, {@code ca}, a file with the
 * certificates to trust instead of those of the JDK, and {@code cert} and {@code key}, files with
 * the client's certificate and its key. If the URL has no user and password, they come from the
 * environment, {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special
 * characters in the URL.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the
 * password is wrong, a permission is missing or the server is too old, {@code UNAVAILABLE} if the
 * server cannot be reached. Open stores are thread-safe.
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
    return ClientLibrary.JEDIS.use(() -> ServerAddress.of(url, System.getenv()).connections());
  }
}
