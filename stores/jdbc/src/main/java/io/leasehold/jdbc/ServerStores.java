package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/** Opens stores on database servers. */
final class ServerStores {
  private static final Duration LISTENED_POLL = Duration.ofSeconds(1);

  private ServerStores() {}

  /** A dialect as far as the URL tells it. */
  static Dialect dialect(String product, String tables) {
    return switch (product) {
      case "postgresql" ->
          new PostgresDialect("leasehold_" + Integer.toHexString(tables.hashCode()));
      case "mysql" -> new MySqlDialect();
      case "mariadb" -> new MariaDbDialect();
      default -> new H2Dialect();
    };
  }

  /** The tables that a URL names. */
  static Tables tables(ServerUrl url) {
    return new Tables(dialect(url.product(), url.tables()), url.tables());
  }

  /**
   * Opens a store over connections of its own.
   *
   * @throws IllegalArgumentException if the driver cannot read the URL
   */
  static LockStore open(ServerUrl url, StoreListener listener, StatementHook hook) {
    return open(url, hook, opening -> lockStore(url, opening, listener), LockStore::close);
  }

  /**
   * Opens something over connections of its own.
   *
   * @param close closes one that came too late
   */
  static <S> S open(
      ServerUrl url, StatementHook hook, Function<Opening, S> store, Consumer<S> close) {
    Dialect guess = dialect(url.product(), url.tables());
    ServerErrors errors = new ServerErrors(url.database(), guess);
    Driver driver;
    try {
      // Here: a thread of the store may not see what the application sees.
      driver = Drivers.of(guess.driverClass());
    } catch (SQLException e) {
      throw Drivers.isMissing(e) ? noDriver(url, guess) : errors.notConnected(e);
    }
    Threads threads = new Threads();
    Duration longest = url.longestOpening();
    return TimelyOpening.open(
        threads,
        longest,
        () -> store.apply(opened(url, new Access(url, driver, guess), errors, hook, threads)),
        close,
        late ->
            errors.unavailable(
                "cannot be reached: it took longer than " + longest.toSeconds() + " s to connect"));
  }

  private static Opening opened(
      ServerUrl url, Access access, ServerErrors errors, StatementHook hook, Threads threads) {
    Dialect dialect;
    Tables tables;
    Session first;
    try {
      Connection connection = access.connect(access.guess().properties());
      dialect = dialect(product(connection), url.tables());
      tables = new Tables(dialect, url.tables());
      first = session(connection, dialect, tables, hook);
    } catch (SQLException e) {
      throw access.canBeRead(e) ? errors.notConnected(e) : notReadable(url);
    }
    LaneSource source = new Source(access, dialect, tables, hook);
    Clock clock = new SystemClock();
    OwnLanes lanes = new OwnLanes(source, dialect, errors, clock, threads, OwnLanes.MOST);
    lanes.add(first);
    return new Opening(dialect, tables, errors, lanes, source, clock, threads);
  }

  private static LockStore lockStore(ServerUrl url, Opening opening, StoreListener listener) {
    Dialect dialect = opening.dialect();
    Threads threads = opening.threads();
    if (url.mode() == ServerUrl.Mode.SESSION) {
      ServerDatabase database =
          new ServerDatabase(opening.lanes(), dialect, opening.errors(), threads);
      return new SessionStores(
              database,
              dialect,
              opening.tables(),
              opening.source(),
              listener,
              opening.clock(),
              threads)
          .open(url.care());
    }
    Wakes wakes =
        dialect instanceof PostgresDialect postgres
            ? new PostgresWakes(opening.source(), postgres.channel(), listener, threads)
            : Wakes.NONE;
    return opening.store(url.care(), wakes, !dialect.hasNetworkTimeout());
  }

  /**
   * How connections are made.
   *
   * @param guess the dialect as far as the URL tells it, which knows the driver
   */
  private record Access(ServerUrl url, Driver driver, Dialect guess) {
    Connection connect(Properties properties) throws SQLException {
      return Drivers.connect(driver, url.driverUrl(), url.over(properties));
    }

    /** Whether it failed for another reason than what the URL says. */
    boolean canBeRead(SQLException e) {
      return !guess.isOfUrl(e)
          && Drivers.canRead(driver, url.driverUrl(), url.over(guess.properties()));
    }
  }

  /** Connections of a store's own. */
  private record Source(Access access, Dialect dialect, Tables tables, StatementHook hook)
      implements LaneSource {
    @Override
    public Session open() throws SQLException {
      return session(access.connect(access.guess().properties()), dialect, tables, hook);
    }

    @Override
    public Session openListening() throws SQLException {
      return session(access.connect(access.guess().listeningProperties()), dialect, tables, hook);
    }
  }

  /** What a store is made of. */
  record Opening(
      Dialect dialect,
      Tables tables,
      ServerErrors errors,
      Lanes lanes,
      LaneSource source,
      Clock clock,
      Threads threads) {

    /**
     * The store, once its tables are there.
     *
     * @param offloaded whether its verbs may not run on the callers' threads
     */
    LockStore store(ServerSchema.Care care, Wakes wakes, boolean offloaded) {
      ServerDatabase database = new ServerDatabase(lanes, dialect, errors, threads);
      ServerSchema schema = new ServerSchema(errors, tables);
      boolean persistent;
      try (Limit limit = new Limit(clock, TimelyOpening.LONGEST)) {
        persistent =
            database.call(
                limit, session -> schema.require(session, care) && dialect.isPersistent(session));
      } catch (RuntimeException e) {
        database.close();
        throw e;
      }
      ServerVerbs verbs = new ServerVerbs(database, dialect, schema, clock);
      int releases = ThreadLocalRandom.current().nextInt(LeaseRowStore.GRANTS_A_SWEEP);
      LeaseRowStore store =
          new LeaseRowStore(traits(dialect, wakes, persistent), clock, verbs, wakes, releases);
      // Other threads than those that make connections, for which verbs wait
      return offloaded ? new OffloadedStore(store, clock, new Threads()) : store;
    }
  }

  private static Traits traits(Dialect dialect, Wakes wakes, boolean persistent) {
    Set<Trait> has = EnumSet.of(Trait.FENCING, Trait.LINEARIZABLE, Trait.FIFO);
    if (persistent) {
      has.add(Trait.SURVIVES_RESTART);
    }
    Traits.Poll poll =
        wakes instanceof PostgresWakes
            ? new Traits.Poll(LISTENED_POLL, LISTENED_POLL, Traits.Signals.SENT)
            : new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE);
    return new Traits(
        dialect.name(),
        has,
        Duration.ofMillis(100),
        Duration.ofDays(30),
        Duration.ofMillis(1),
        poll,
        Traits.Life.TTL,
        Traits.Calls.BLOCKING);
  }

  /** The dialect of whatever database this is. */
  static Dialect dialect(Connection connection, String tables) throws SQLException {
    return dialect(product(connection), tables);
  }

  private static Session session(
      Connection connection, Dialect dialect, Tables tables, StatementHook hook)
      throws SQLException {
    try {
      hook.opened(connection);
      dialect.setUp(connection);
      return new Session(connection, hook, tables::spelled);
    } catch (SQLException | RuntimeException e) {
      dialect.end(connection);
      throw e;
    }
  }

  /** Which database it is: MySQL's driver connects to MariaDB too, and the other way round. */
  static String product(Connection connection) throws SQLException {
    String name = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
    String version = connection.getMetaData().getDatabaseProductVersion().toLowerCase(Locale.ROOT);
    if (name.contains("mariadb") || version.contains("mariadb")) {
      return "mariadb";
    }
    return switch (name) {
      case "mysql", "postgresql", "h2" -> name;
      default ->
          throw new StoreException(
              Failure.REFUSED,
              "the database is " + name + ": served are PostgreSQL, MySQL, MariaDB and H2",
              null);
    };
  }

  /** Without the driver's words, which may have anything of the URL in them. */
  private static IllegalArgumentException notReadable(ServerUrl url) {
    return new IllegalArgumentException(
        "the driver cannot read the store URL "
            + url.database()
            + ", or a parameter of it; write jdbc:"
            + url.product()
            + "://host:port/database");
  }

  private static StoreException noDriver(ServerUrl url, Dialect dialect) {
    return new StoreException(
        Failure.REFUSED,
        url.database() + " needs its driver on the class path: add " + dialect.driver(),
        null);
  }
}
