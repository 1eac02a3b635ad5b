package io.leasehold.memcached;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.spi.support.SystemClock;
import java.util.Set;

/**
 * Opens stores on one memcached server: {@code memcached://[user:password@]host[:port]}. Parameter:
 * {@code prefix}, the prefix of every key ({@code leasehold:}). If the URL has no user and
 * password, they come from the environment, {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the
 * password is wrong or missing, {@code UNAVAILABLE} if the server cannot be reached. Open stores
 * are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class MemcachedStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix");

  static final Form FORM = new Form(11_211, false, "", Login.BOTH, "");

  /** For {@link java.util.ServiceLoader}. */
  public MemcachedStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("memcached");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    ServerUrl server = ServerUrl.of(url, FORM, PARAMETERS, System.getenv());
    String prefix = url.parameter("prefix").orElse("leasehold:");
    if (!prefix.matches("[!-~]{1,100}") || !(server.user() + server.password()).matches("[ -~]*")) {
      throw new IllegalArgumentException(
          "a key prefix has 1 to 100 characters of ASCII without blanks and control characters;"
              + " user and password are ASCII too");
    }
    return listener -> MemcachedStore.open(server, prefix, new SystemClock(), listener);
  }
}
