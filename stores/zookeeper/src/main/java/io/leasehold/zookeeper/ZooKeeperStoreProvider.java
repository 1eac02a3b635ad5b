package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.zookeeper.Connection.Handle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Opens stores on ZooKeeper servers: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/path]}. The store uses the nodes below
 * the path, which it makes if it is not there. Parameter: {@code prefix}, the node below that under
 * which the locks are ({@code /leasehold}); {@code layout=curator-mutex} and {@code
 * layout=curator-readwrite} for the nodes of Curator's locks, whose names are paths, without a
 * prefix unless it is given. With user and password the nodes that it makes belong to that user
 * alone (scheme {@code digest}); if the URL has none they come from the environment, {@code
 * LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special characters.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the nodes
 * belong to another user, {@code UNAVAILABLE} if no server can be reached. Open stores are
 * thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class ZooKeeperStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix", "layout");

  private static final Form FORM = new Form(2181, true, "/path", Login.BOTH, "");

  /** Of all names of a store with thousands of waiters. */
  private static final int LARGEST_ANSWER = 64 << 20;

  private static final int LAST_WORK_MILLIS = 500;

  /** For {@link java.util.ServiceLoader}. */
  public ZooKeeperStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("zookeeper");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    return factory(url, System.getenv());
  }

  static StoreFactory factory(StoreUrl url, Map<String, String> environment) {
    ServerUrl servers = ServerUrl.of(url, FORM, PARAMETERS, environment);
    boolean hasUser = !servers.user().isEmpty();
    String path = servers.path().replaceFirst("/$", "");
    return ZooKeeperEntries.factory(
        new Connection.Setting(
            "ZooKeeper at " + servers,
            false,
            (ttl, watcher) -> {
              try {
                ZooKeeper zk =
                    new ZooKeeper(
                        servers.toString(), Math.toIntExact(ttl.toMillis()), watcher, config());
                if (hasUser) {
                  logIn(zk, servers);
                }
                return new Handle(zk, () -> zk.close(LAST_WORK_MILLIS));
              } catch (IOException e) {
                throw new StoreException(Failure.UNAVAILABLE, servers + " cannot be reached", e);
              }
            },
            Tree.of(
                path.isEmpty() ? "" : "/" + path,
                url.parameter("prefix"),
                Layout.of(url.parameter("layout"))),
            node -> hasUser ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE));
  }

  private static void logIn(ZooKeeper zk, ServerUrl servers) {
    String login = servers.user() + ":" + servers.password();
    zk.addAuthInfo("digest", login.getBytes(StandardCharsets.UTF_8));
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
