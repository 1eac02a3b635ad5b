package io.leasehold.jdbc;

import io.leasehold.Trait;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Opens stores that keep leases as rows of a database. Serves {@code file:PATH}, a SQLite file:
 * relative as in {@code file:locks.db}, absolute as in {@code file:/var/lib/app/locks.db} or {@code
 * file:///var/lib/app/locks.db}; in a path, {@code ?}, {@code %} and every other character may be
 * written percent-encoded. The store creates the file when it first needs it. There are no
 * parameters but the common ones. Also serves {@code jdbc:} URLs of PostgreSQL, MySQL, MariaDB and
 * H2.
 *
 * <p>Opening a store fails with {@link io.leasehold.StoreException}: {@code REFUSED} if the path is
 * not usable (a directory, a network file system, not writable, not a lock file, a newer schema),
 * {@code UNAVAILABLE} if it is not usable now (disk full). Open stores are thread-safe.
 *
 * <p>Stateless and thread-safe.
 */
public final class JdbcStoreProvider implements StoreProvider {
  private static final Path ROOT = Path.of("/");

  private static final Traits FILE =
      new Traits(
          "file",
          Set.of(Trait.FENCING, Trait.LINEARIZABLE, Trait.SURVIVES_RESTART, Trait.FIFO),
          Duration.ofMillis(100),
          Duration.ofDays(30),
          Duration.ofMillis(1),
          new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE),
          Traits.Life.TTL,
          Traits.Calls.BLOCKING);

  /** For {@link java.util.ServiceLoader}. */
  public JdbcStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("file", "jdbc");
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    if (url.scheme().equals("jdbc")) {
      ServerUrl server = ServerUrl.of(url, System.getenv());
      return listener -> ServerStores.open(server, listener, StatementHook.NONE);
    }
    url.requireOnly(Set.of());
    Path path = path(url);
    return listener -> {
      Clock clock = new SystemClock();
      // Anywhere, so that the releases of many short-lived processes come to a sweep as well.
      int releases = ThreadLocalRandom.current().nextInt(LeaseRowStore.GRANTS_A_SWEEP);
      return open(path, clock, HostClock.of(clock, ROOT), StatementHook.NONE, releases);
    };
  }

  @Override
  public Optional<String> ddl(StoreUrl url) {
    if (url.scheme().equals("jdbc")) {
      return Optional.of(ServerStores.tables(ServerUrl.of(url, System.getenv())).ddl());
    }
    url.requireOnly(Set.of());
    return Optional.of(SqliteSchema.ddl());
  }

  /** Opens a file, and answers only once it can be used. */
  static LeaseRowStore open(
      Path path, Clock clock, HostClock hostClock, StatementHook hook, int releases) {
    SqliteFile file = new SqliteFile(path);
    SqliteDatabase database = new SqliteDatabase(file, clock, hostClock, hook);
    database.connect();
    SqliteDiagnosis diagnosis = new SqliteDiagnosis(file, hostClock);
    SqliteVerbs verbs = new SqliteVerbs(database, new SqliteStatements(), diagnosis, clock);
    return new LeaseRowStore(FILE, clock, verbs, Wakes.NONE, releases);
  }

  static Path path(StoreUrl url) {
    String rest = url.rest();
    if (rest.startsWith("//")) {
      int slash = rest.indexOf('/', 2);
      String host = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
      if (slash < 0 || !(host.isEmpty() || host.equals("localhost"))) {
        throw new IllegalArgumentException(
            "a store URL with file:// names a host before the path; write file:///absolute/path or"
                + " file:relative/path");
      }
      rest = rest.substring(slash);
    }
    if (rest.isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL file: needs a path, as in file:locks.db or file:/var/lib/app/locks.db");
    }
    try {
      // In a path, unlike in a form, a plus is a plus.
      return Path.of(URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "the path of the store URL " + url + " cannot be a file's here: " + e.getReason(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the path of the store URL "
              + url
              + " has a % that is not followed by two hexadecimal digits; write %25 for a %",
          e);
    }
  }
}
