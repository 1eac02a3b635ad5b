package io.leasehold.etcd;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Login;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.TlsFiles;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Opens stores on etcd: {@code etcd://[user:password@]host[:port][,host[:port]...]}, {@code
 * etcds://} with TLS. Parameters: {@code prefix}, the prefix of every key ({@code leasehold/});
 * with TLS, {@code ca}, a file with the certificates to trust instead of those of the JDK, and
 * {@code cert} and {@code key}, files with the client's certificate and its key. If the URL has no
 * user and password, they come from the environment, {@code LEASEHOLD_USER} and {@code
 * LEASEHOLD_PASSWORD}. Percent-encode special characters in the URL.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the
 * password is wrong, a permission is missing or the server is too old, {@code UNAVAILABLE} if no
 * member can be reached. Open stores are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class EtcdStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix", "ca", "cert", "key");

  private static final Pattern REST =
      Pattern.compile("//(?:(?<user>[^@:/]*)(?::(?<password>[^@/]*))?@)?(?<members>[^@/]+)/?");

  private static final Pattern MEMBER =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:\\[\\]]+)(:\\d{1,5})?");

  /** For {@link java.util.ServiceLoader}. */
  public EtcdStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("etcd", "etcds");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    Matcher rest = REST.matcher(url.rest());
    List<String> members =
        rest.matches() ? Stream.of(rest.group("members").split(",", -1)).toList() : List.of();
    if (members.isEmpty() || !members.stream().allMatch(MEMBER.asMatchPredicate())) {
      // Without the URL: what cannot be read may have a password anywhere
      throw new IllegalArgumentException(
          "the store URL is not "
              + url.scheme()
              + "://[user:password@]host[:port][,host[:port]...]; percent-encode what is special"
              + " in user and password, as %40 for an @ and %3F for a ?");
    }
    url.requireOnly(PARAMETERS);
    Login login = Login.of(rest.group("user"), rest.group("password"), System.getenv());
    if (login.user() == null && login.password() != null) {
      throw new IllegalArgumentException("etcd needs a user with the password; set LEASEHOLD_USER");
    }
    ChannelCredentials security = security(url);
    Keys keys = new Keys(url.parameter("prefix").orElse(Keys.PREFIX));
    return listener ->
        EtcdStore.open(new Cluster(members, security, login), keys, new SystemClock(), listener);
  }

  private static ChannelCredentials security(StoreUrl url) {
    if (!url.scheme().equals("etcds")) {
      TlsFiles.requireNone(url, "etcds");
      return InsecureChannelCredentials.create();
    }
    TlsFiles files = TlsFiles.of(url);
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
