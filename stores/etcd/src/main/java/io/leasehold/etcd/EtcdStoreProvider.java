package io.leasehold.etcd;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TlsFiles;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;

/**
 * Opens stores on etcd: {@code etcd://[user:password@]host[:port][,host[:port]...]}, {@code
 * etcds://} with TLS. Parameters: {@code prefix}, the prefix of every key ({@code leasehold/});
 * {@code layout=etcd} for the keys of {@code etcdctl lock}, which have no prefix unless it is
 * given, and are of exclusive locks only; with TLS, {@code ca}, a file with the certificates to
 * trust instead of those of the JDK, and {@code cert} and {@code key}, files with the client's
 * certificate and its key. If the URL has no user and password, they come from the environment,
 * {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special characters in the
 * URL.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the
 * password is wrong, a permission is missing or the server is too old, {@code UNAVAILABLE} if no
 * member can be reached. Open stores are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class EtcdStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix", "layout");

  static final Form FORM = new Form(2379, true, "", Login.BOTH, "etcds");

  /** For {@link java.util.ServiceLoader}. */
  public EtcdStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("etcd", "etcds");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    ServerUrl servers = ServerUrl.of(url, FORM, PARAMETERS, System.getenv());
    ChannelCredentials security =
        servers
            .tls()
            .map(EtcdStoreProvider::security)
            .orElseGet(InsecureChannelCredentials::create);
    Keys keys = keys(url);
    return listener -> {
      Threads threads = new Threads();
      Clock clock = new SystemClock();
      Cluster cluster = new Cluster(servers, security, clock, threads);
      return EtcdStore.open(cluster, keys, clock, threads, listener);
    };
  }

  private static Keys keys(StoreUrl url) {
    Optional<String> prefix = url.parameter("prefix");
    return url.choice("layout", List.of("etcd")).isPresent()
        ? new EtcdctlKeys(prefix)
        : new OwnKeys(prefix.orElse(OwnKeys.PREFIX));
  }

  private static ChannelCredentials security(TlsFiles files) {
    KeyManager[] own = files.keyManagers();
    TlsChannelCredentials.Builder tls =
        TlsChannelCredentials.newBuilder().trustManager(files.trustManagers());
    return (own.length == 0 ? tls : tls.keyManager(own)).build();
  }
}
