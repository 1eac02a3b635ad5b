package io.leasehold.consul;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Opens stores on Consul: {@code consul://host[:port]} of an agent, {@code consuls://} with TLS.
 * Parameters: {@code token}, the ACL token, which otherwise comes from the environment, {@code
 * LEASEHOLD_PASSWORD}; {@code dc}, the datacenter of the agent; {@code prefix}, of every key
 * ({@code leasehold/}); {@code layout=consul} for the keys of {@code consul lock}, which have no
 * prefix unless it is given, are of exclusive locks only, and have no queue; with TLS, {@code ca},
 * a file with the certificates to trust instead of those of the JDK, and {@code cert} and {@code
 * key}, files with the client's certificate and its key.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the token
 * is wrong or may not make sessions, {@code UNAVAILABLE} if the agent cannot be reached. Open
 * stores are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class ConsulStoreProvider implements StoreProvider {
  /** For {@link java.util.ServiceLoader}. */
  public ConsulStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("consul", "consuls");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    AgentAddress address = AgentAddress.of(url, System.getenv());
    Optional<String> prefix = url.parameter("prefix");
    Clock clock = new SystemClock();
    if (url.choice("layout", List.of("consul")).isEmpty()) {
      Entries entries = new Entries(prefix.orElse("leasehold/"), clock);
      return listener -> ConsulStore.open(address, entries, listener);
    }
    prefix.ifPresent(Entries::requirePrefix);
    LockKeys keys = new LockKeys(prefix.orElse(""), clock);
    return listener -> ConsulLockStore.open(address, keys, listener);
  }
}
