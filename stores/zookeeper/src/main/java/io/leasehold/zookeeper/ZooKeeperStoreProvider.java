package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.spi.support.TlsFiles;
import io.leasehold.zookeeper.Connection.Handle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Opens stores on ZooKeeper servers: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/path]}, {@code zookeepers://} with TLS.
 * The store uses the nodes below the path, which it makes if it is not there. Parameters: {@code
 * prefix}, the node below that under which the locks are ({@code /leasehold}); {@code
 * layout=curator-mutex} and {@code layout=curator-readwrite} for the nodes of Curator's locks,
 * whose names are paths, without a prefix unless it is given; with TLS, {@code ca}, a file with the
 * certificates to trust instead of those of the JDK, and {@code cert} and {@code key}, files with
 * the client's certificate and its key. With user and password the nodes that it makes belong to
 * that user alone (scheme {@code digest}); if the URL has none they come from the environment,
 * {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special characters.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the nodes
 * belong to another user, {@code UNAVAILABLE} if no server can be reached. Open stores are
 * thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class ZooKeeperStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix", "layout");

  private static final Form FORM = new Form(2181, true, "/path", Login.BOTH, "zookeepers");

  /** Of all names of a store with thousands of waiters. */
  private static final int LARGEST_ANSWER = 64 << 20;

  private static final int LAST_WORK_MILLIS = 500;

  /** For {@link java.util.ServiceLoader}. */
  public ZooKeeperStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("zookeeper", "zookeepers");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    return factory(url, System.getenv());
  }

  static StoreFactory factory(StoreUrl url, Map<String, String> environment) {
    ServerUrl servers = ServerUrl.of(url, FORM, PARAMETERS, environment);
    // Says now what is wrong with the files
    servers.tls().ifPresent(TlsFiles::context);
    boolean hasUser = !servers.user().isEmpty();
    String path = servers.path().replaceFirst("/$", "");
    return ZooKeeperEntries.factory(
        new Connection.Setting(
            "ZooKeeper at " + servers,
            false,
            (ttl, watcher) -> open(servers, ttl, watcher),
            Tree.of(path.isEmpty() ? "" : "/" + path, url.parameter("prefix"), Layout.of(url)),
            node -> hasUser ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE));
  }

  private static Handle open(ServerUrl servers, Duration ttl, Watcher watcher) {
    ZKClientConfig config = config();
    try {
      KeyFile keys = KeyFile.of(servers.tls(), config);
      int millis = Math.toIntExact(ttl.toMillis());
      Ensemble ensemble = new Ensemble(servers.toString(), ttl);
      ZooKeeper zk = new ZooKeeper(servers.toString(), millis, watcher, false, ensemble, config);
      return new Handle(
          zk,
          () -> {
            // Not sooner: a server with TLS may answer it before the opening of the session, and
            // the
            // client library takes the first answer for that
            if (!servers.user().isEmpty()) {
              String login = servers.user() + ":" + servers.password();
              zk.addAuthInfo("digest", login.getBytes(StandardCharsets.UTF_8));
            }
          },
          () -> {
            try {
              zk.close(LAST_WORK_MILLIS);
            } finally {
              keys.delete();
            }
          });
    } catch (IOException e) {
      throw new StoreException(Failure.UNAVAILABLE, servers + " cannot be reached", e);
    }
  }

  private static ZKClientConfig config() {
    ZKClientConfig config = new ZKClientConfig();
    config.setProperty(ZKClientConfig.JUTE_MAXBUFFER, String.valueOf(LARGEST_ANSWER));
    if (System.getProperty("java.security.auth.login.config") == null) {
      // It would look up the name of each server's address, which may take seconds
      config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    }
    return config;
  }
}
