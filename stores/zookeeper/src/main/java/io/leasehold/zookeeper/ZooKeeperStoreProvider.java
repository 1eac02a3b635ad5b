package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.zookeeper.Connection.Handle;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * Opens stores on ZooKeeper servers: {@code
 * zookeeper://[user:password@]host[:port][,host[:port]…][/path]}. The store uses the nodes below
 * the path, which it makes if it is not there. Parameter: {@code prefix}, the node below that under
 * which the locks are ({@code /leasehold}). With user and password the nodes that it makes belong
 * to that user alone (scheme {@code digest}); if the URL has none they come from the environment,
 * {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}. Percent-encode special characters.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the nodes
 * belong to another user, {@code UNAVAILABLE} if no server can be reached. Open stores are
 * thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class ZooKeeperStoreProvider implements StoreProvider {
  private static final Set<String> PARAMETERS = Set.of("prefix");

  private static final Pattern REST =
      Pattern.compile("//(?:([^@:/]*)(?::([^@/]*))?@)?([^@/]+?)(/[^@]*?)?/?");

  private static final Pattern HOSTS =
      Pattern.compile("(?:(?:\\[[0-9A-Fa-f:.]+]|[^:,\\[\\]]+)(?::\\d{1,5})?(?:,(?!$)|$))+");

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
    url.requireOnly(PARAMETERS);
    Matcher rest = REST.matcher(url.rest());
    if (!rest.matches() || !HOSTS.matcher(rest.group(3)).matches()) {
      // Without the URL: what cannot be read may have a password anywhere
      throw new IllegalArgumentException(
          "the store URL is not zookeeper://[user:password@]host[:port][,host[:port]…][/path];"
              + " percent-encode what is special in user and password, as %40 for an @");
    }
    Optional<String> user = decoded(rest.group(1), environment.get("LEASEHOLD_USER"));
    Optional<String> password = decoded(rest.group(2), environment.get("LEASEHOLD_PASSWORD"));
    if (user.isPresent() != password.isPresent()) {
      throw new IllegalArgumentException(
          "there is a user or a password, but not both: set LEASEHOLD_USER and LEASEHOLD_PASSWORD");
    }
    String servers = rest.group(3);
    return ZooKeeperEntries.factory(
        new Connection.Setting(
            "ZooKeeper at " + servers,
            false,
            (ttl, watcher) -> {
              try {
                ZooKeeper zk =
                    new ZooKeeper(servers, Math.toIntExact(ttl.toMillis()), watcher, config());
                user.ifPresent(name -> logIn(zk, name, password.orElseThrow()));
                return new Handle(zk, () -> zk.close(LAST_WORK_MILLIS));
              } catch (IOException e) {
                throw new StoreException(Failure.UNAVAILABLE, servers + " cannot be reached", e);
              }
            },
            Tree.of(
                Optional.ofNullable(rest.group(4)).orElse(""),
                url.parameter("prefix").orElse("/leasehold")),
            path -> user.isPresent() ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE));
  }

  private static void logIn(ZooKeeper zk, String user, String password) {
    zk.addAuthInfo("digest", (user + ":" + password).getBytes(StandardCharsets.UTF_8));
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

  private static Optional<String> decoded(@Nullable String text, @Nullable String otherwise) {
    try {
      return text == null || text.isEmpty()
          ? Optional.ofNullable(otherwise)
          : Optional.of(URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      // Without the cause, which quotes the text
      throw new IllegalArgumentException(
          "user or password of the store URL has a % that is not followed by two hexadecimal digits;"
              + " write %25 for a %");
    }
  }
}
