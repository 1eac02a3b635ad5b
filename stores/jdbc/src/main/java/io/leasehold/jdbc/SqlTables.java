package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import io.leasehold.spi.support.VirtualThreads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Gives another module of this library access to its tables in a database of locks, with the same
 * connections, time limits, URLs and errors as the lock store. Not for applications. Thread-safe.
 */
public final class SqlTables implements AutoCloseable {
  /** Work on a connection. */
  public interface Work<T> {
    /** Runs the work; may run again after a statement that had no effect. */
    T run(Statements statements) throws SQLException;
  }

  /** Makes an object of a row. */
  public interface RowReader<T> {
    /** Reads the current row. */
    T read(java.sql.ResultSet row) throws SQLException;
  }

  /**
   * The place of the tables: the database product, its clock, and the names of the tables.
   *
   * @param product {@code postgresql}, {@code mysql}, {@code mariadb}, {@code h2} or {@code sqlite}
   * @param now an SQL expression for the clock of leases, in microseconds
   * @param tables maps the last word of a table's name to the quoted name
   */
  public record Place(String product, String now, Function<String, String> tables) {}

  /**
   * Statements on a connection. The names of parameters are lower-case letters, as {@code :life};
   * parameters {@code name} and {@code names} are compared as bytes.
   */
  public static final class Statements {
    private final Session session;
    private final Place place;

    private Statements(Session session, Place place) {
      this.session = session;
      this.place = place;
    }

    /** The place of the tables on this connection. */
    public Place place() {
      return place;
    }

    /** Runs a statement, and returns the number of changed rows. */
    public int update(String sql, Map<String, ?> values) throws SQLException {
      return session.update(sql, values);
    }

    /** Runs a query, and returns its rows. */
    public <T> List<T> query(String sql, Map<String, ?> values, RowReader<T> reader)
        throws SQLException {
      return session.query(sql, values, reader::read);
    }

    /** Runs a statement that changes at most one row, and returns its {@code LAST_INSERT_ID(x)}. */
    public OptionalLong updateForNumber(String sql, Map<String, ?> values) throws SQLException {
      return session.updateForNumber(sql, values);
    }

    /** Whether a statement failed because a row with this key exists. */
    public boolean isDuplicate(SQLException e) {
      return !place.product().equals("sqlite")
          && ServerStores.dialect(place.product(), Tables.DEFAULT).trouble(e)
              == Dialect.Trouble.DUPLICATE;
    }

    /**
     * Runs statements in a transaction of the caller, which wait at most {@code most} for other
     * transactions.
     *
     * @return the result of the work; false if other transactions blocked it all the time
     */
    public boolean waitFor(Duration most, Work<Boolean> work) throws SQLException {
      if (place.product().equals("sqlite")) {
        return work.run(this);
      }
      return ServerStores.dialect(place.product(), Tables.DEFAULT)
          .waitFor(session, most, () -> work.run(this));
    }
  }

  /** Runs work on some connection, in bounded time. */
  private interface Runner extends AutoCloseable {
    <T> T write(Limit limit, Session.Work<T> work);

    <T> T read(Limit limit, Session.Work<T> work);

    @Override
    void close();
  }

  private final Runner runner;
  private final Place place;
  private final boolean offloaded;
  private final Threads threads = new Threads(16);
  private final Clock clock = new SystemClock();

  private SqlTables(Runner runner, Place place, boolean offloaded) {
    this.runner = runner;
    this.place = place;
    this.offloaded = offloaded;
  }

  /**
   * Opens the database of a store URL, and creates the tables if the URL allows it.
   *
   * @param ddl the statements that create the tables if they do not exist
   * @param probe one of the tables
   */
  public static SqlTables open(StoreUrl url, Function<Place, List<String>> ddl, String probe) {
    if (url.scheme().equals("jdbc")) {
      ServerUrl server = ServerUrl.of(url, System.getenv());
      return ServerStores.open(
          server,
          StatementHook.NONE,
          opening ->
              onServer(opening, server.care(), !opening.dialect().hasNetworkTimeout(), ddl, probe),
          SqlTables::close);
    }
    url.requireOnly(java.util.Set.of());
    return file(JdbcStoreProvider.path(url), ddl, probe);
  }

  /**
   * As {@link #open(StoreUrl, Function, String)}, on two connections of a pool, which it keeps.
   *
   * @param prefix the prefix of the table names
   * @param create whether to create the tables if they do not exist
   */
  public static SqlTables open(
      DataSource pool,
      String prefix,
      boolean create,
      Function<Place, List<String>> ddl,
      String probe) {
    ServerSchema.Care care = create ? ServerSchema.Care.CREATE : ServerSchema.Care.VALIDATE;
    return PoolStores.open(
        pool, prefix, opening -> onServer(opening, care, true, ddl, probe), SqlTables::close);
  }

  /** The place of a store URL. Opens no connection. */
  public static Place place(StoreUrl url) {
    return url.scheme().equals("jdbc")
        ? place(ServerStores.tables(ServerUrl.of(url, System.getenv())))
        : sqlite(Tables.DEFAULT, ":now / 1000");
  }

  /**
   * Runs statements in a transaction of the caller, on the caller's connection.
   *
   * @param prefix the prefix of the table names
   * @throws IllegalStateException if there is no transaction
   * @throws StoreException if the database fails; the caller commits or rolls back
   */
  public static <T> T inTransaction(Connection connection, String prefix, Work<T> work) {
    CallersTransaction transaction = new CallersTransaction(prefix);
    if (isSqlite(connection)) {
      return transaction.runOnFile(
          connection,
          session ->
              work.run(
                  new Statements(
                      session, sqlite(prefix, "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"))));
    }
    return transaction.run(
        connection,
        (session, dialect) ->
            work.run(new Statements(session, place(new Tables(dialect, prefix)))));
  }

  private static boolean isSqlite(Connection connection) {
    try {
      return connection.getMetaData().getDatabaseProductName().equals("SQLite");
    } catch (SQLException e) {
      throw new StoreException(
          Failure.UNAVAILABLE, "the connection cannot be used: " + e.getMessage(), e);
    }
  }

  private static Place place(Tables tables) {
    return new Place(tables.dialect().name(), tables.dialect().now(), tables::name);
  }

  private static Place sqlite(String prefix, String now) {
    return new Place("sqlite", now, table -> prefix + "_" + table);
  }

  private static SqlTables file(Path path, Function<Place, List<String>> ddl, String probe) {
    Clock clock = new SystemClock();
    SqliteDatabase database =
        new SqliteDatabase(
            new SqliteFile(path), clock, HostClock.of(clock, Path.of("/")), StatementHook.NONE);
    database.connect();
    Place place = sqlite(Tables.DEFAULT, ":now / 1000");
    SqlTables opened = new SqlTables(new OnFile(database), place, false);
    try {
      // Who finds them there does not wait for those who write
      if (!opened.read(TimelyOpening.LONGEST, statements -> isThere(statements, probe))) {
        opened.call(TimelyOpening.LONGEST, statements -> create(statements, ddl.apply(place)));
      }
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  private static boolean isThere(Statements statements, String probe) throws SQLException {
    return !statements
        .query(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :probe",
            Map.of("probe", statements.place().tables().apply(probe)),
            row -> true)
        .isEmpty();
  }

  private static SqlTables onServer(
      ServerStores.Opening opening,
      ServerSchema.Care care,
      boolean offloaded,
      Function<Place, List<String>> ddl,
      String probe) {
    ServerDatabase database =
        new ServerDatabase(opening.lanes(), opening.dialect(), opening.errors(), opening.threads());
    Place place = place(opening.tables());
    SqlTables opened = new SqlTables(new OnServer(database), place, offloaded);
    try (Limit limit = new Limit(opening.clock(), TimelyOpening.LONGEST)) {
      database.call(
          limit,
          session -> require(new Statements(session, place), opening.errors(), care, ddl, probe));
      return opened;
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private static boolean require(
      Statements statements,
      ServerErrors errors,
      ServerSchema.Care care,
      Function<Place, List<String>> ddl,
      String probe)
      throws SQLException {
    if (care == ServerSchema.Care.NONE) {
      return true;
    }
    String table = statements.place().tables().apply(probe);
    try {
      statements.query("SELECT 1 FROM " + table + " WHERE 1 = 0", Map.of(), row -> true);
      return true;
    } catch (SQLException e) {
      if (errors.trouble(e) != Dialect.Trouble.MISSING) {
        throw e;
      }
      if (care == ServerSchema.Care.VALIDATE) {
        throw errors.refused(
            "lacks the table "
                + table
                + "; make it by what IdempotencyStores.ddl(url) returns or `leasehold doctor --ddl`"
                + " prints, or add ?ddl=create",
            e);
      }
    }
    return create(statements, ddl.apply(statements.place()));
  }

  private static boolean create(Statements statements, List<String> ddl) throws SQLException {
    for (String statement : ddl) {
      statements.session.run(statement);
    }
    return true;
  }

  /** The place of the tables of this database. */
  public Place place() {
    return place;
  }

  /**
   * Runs statements that do not depend on each other; in a file, in one transaction.
   *
   * @throws StoreException with {@code UNKNOWN_OUTCOME} if they may have taken effect
   */
  public <T> T call(Duration within, Work<T> work) {
    return run(within, limit -> runner.write(limit, onPlace(work)));
  }

  /** As {@link #call}, for statements that only read. */
  public <T> T read(Duration within, Work<T> work) {
    return run(within, limit -> runner.read(limit, onPlace(work)));
  }

  private <T> Session.Work<T> onPlace(Work<T> work) {
    return session -> work.run(new Statements(session, place));
  }

  private <T> T run(Duration within, Function<Limit, T> call) {
    boolean isElsewhere = offloaded || VirtualThreads.isVirtual(Thread.currentThread());
    return isElsewhere ? elsewhere(within, call) : bounded(within, call);
  }

  private <T> T bounded(Duration within, Function<Limit, T> call) {
    try (Limit limit = new Limit(clock, within)) {
      return call.apply(limit);
    }
  }

  /** Where the caller's interrupts would harm the connection, or its time has no other bound. */
  private <T> T elsewhere(Duration within, Function<Limit, T> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    threads.request(
        () -> {
          try {
            if (!answer.isDone()) {
              answer.complete(bounded(within, call));
            }
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    try {
      return TimedJoin.of(answer, within);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException why ? why : new IllegalStateException(e);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new StoreException(
          Failure.UNKNOWN_OUTCOME,
          "the database did not answer in " + within.toMillis() + " ms",
          e);
    }
  }

  @Override
  public void close() {
    runner.close();
    threads.close();
  }

  private record OnServer(ServerDatabase database) implements Runner {
    @Override
    public <T> T write(Limit limit, Session.Work<T> work) {
      return database.call(limit, work);
    }

    @Override
    public <T> T read(Limit limit, Session.Work<T> work) {
      return database.call(limit, work);
    }

    @Override
    public void close() {
      database.close();
    }
  }

  private record OnFile(SqliteDatabase database) implements Runner {
    @Override
    public <T> T write(Limit limit, Session.Work<T> work) {
      return database.write(limit, work);
    }

    @Override
    public <T> T read(Limit limit, Session.Work<T> work) {
      return database.read(limit, work);
    }

    @Override
    public void close() {
      database.close();
    }
  }
}
