package io.leasehold.etcd;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.TlsFiles;
import java.io.File;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

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

  private static final Form FORM = new Form(2379, true, "", Login.BOTH, "etcds");

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
    return listener ->
        EtcdStore.open(new Cluster(servers, security), keys, new SystemClock(), listener);
  }

  private static Keys keys(StoreUrl url) {
    Optional<String> prefix = url.parameter("prefix");
    Optional<String> layout = url.parameter("layout");
    if (layout.isEmpty()) {
      return new OwnKeys(prefix.orElse(OwnKeys.PREFIX));
    }
    if (!layout.get().equals("etcd")) {
      throw new IllegalArgumentException(
          "the store URL has an unknown layout; leave it out, or say layout=etcd for the keys of"
              + " etcdctl lock");
    }
    return new EtcdctlKeys(prefix);
  }

  private static ChannelCredentials security(TlsFiles files) {
    // Says what is wrong with them
    files.context();
    TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
    try {
      if (files.ca().isPresent()) {
        tls.trustManager(files.ca().get().toFile());
      }
      if (files.cert().isPresent() && files.key().isPresent()) {
        File key = files.key().get().toFile();
        tls.keyManager(files.cert().get().toFile(), key);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read a file for TLS", e);
    }
    return tls.build();
  }
}
