package io.leasehold.redis;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Opens stores on Redis and Valkey servers: {@code
 * redis://[user[:password]@]host[:port][/database]}, {@code rediss://} with TLS; and on the primary
 * that Sentinels name: {@code
 * redis+sentinel://[user[:password]@]host[:port][,host[:port]...]/primary[/database]}, {@code
 * rediss+sentinel://} with TLS; and on a cluster: {@code
 * redis+cluster://[user[:password]@]host[:port][,host[:port]...]}, {@code rediss+cluster://} with
 * TLS. Parameters: {@code prefix}, the prefix of every key ({@code leasehold:}); with TLS, {@code
 * ca}, a file with the certificates to trust instead of those of the JDK, and {@code cert} and
 * {@code key}, files with the client's certificate and its key; with Sentinels, {@code
 * sentinel-user} and {@code sentinel-password}, if they differ from those of the servers; {@code
 * replicas}, {@code within} and {@code fsync}, for grants that count only once so many replicas
 * have them. If the URL has no user and password, they come from the environment, {@code
 * LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special characters in the URL.
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
    return ServerAddress.SCHEMES;
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    ClientLibrary.JEDIS.require();
    return factory(
        url,
        ClientLibrary.JEDIS.use(
            () -> ServerAddress.wires(url, System.getenv(), Replication.PARAMETERS)));
  }

  @Override
  public StoreFactory memberFactory(StoreUrl url, Duration longestTtl) {
    ClientLibrary.JEDIS.require();
    // A server that waits for its replicas answers nothing else meanwhile on the same connection
    boolean waits = Replication.of(url).isPresent();
    Connections connections =
        ClientLibrary.JEDIS.use(
            () ->
                waits
                    ? ServerAddress.of(url, System.getenv(), Replication.PARAMETERS)
                    : ServerAddress.ofMember(url, System.getenv(), Replication.PARAMETERS));
    return factory(
        url,
        clock -> {
          Connections remembering = connections.remembering(longestTtl);
          return waits ? new JedisWire(remembering, clock) : new PipelineWire(remembering, clock);
        });
  }

  private static StoreFactory factory(StoreUrl url, Function<Clock, Wire> wires) {
    Optional<Replication> replication = Replication.of(url);
    Keys keys = new Keys(url.parameter("prefix").orElse(Keys.PREFIX));
    Clock clock = new SystemClock();
    return listener -> RedisStore.open(wires.apply(clock), keys, replication, clock, listener);
  }

  /** Of a URL of one server that has nothing but the address and the prefix. */
  static Connections connections(StoreUrl url) {
    ClientLibrary.JEDIS.require();
    return ClientLibrary.JEDIS.use(() -> ServerAddress.of(url, System.getenv(), Set.of()));
  }
}
