package io.leasehold.servers;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A database server for tests. What it has committed outlives a kill.
 *
 * <pre>{@code
 * try (SqlServer server = SqlServer.of(SqlServer.Kind.MYSQL_9).withSteppableClock().start()) {
 *   client = connect(server.newDatabase());
 *   server.kill();
 *   server.start();
 *   server.stepClock(Duration.ofMinutes(1));
 * }
 * }</pre>
 *
 * <p>The tests' account has all rights on databases named {@code leasehold…}, and no others. A
 * server whose URL is given in the environment is used as it is, by the account in the URL: what
 * would configure the server or end it aborts the test.
 */
public final class SqlServer implements AutoCloseable {
  /** Which server. */
  public enum Kind {
    /** MariaDB 10.11. */
    MARIADB_10_11("mariadb-10.11", "LEASEHOLD_TEST_MARIADB_URL"),
    /** PostgreSQL 15. */
    POSTGRESQL_15("postgresql-15", "LEASEHOLD_TEST_POSTGRESQL_URL"),
    /** MySQL 9. */
    MYSQL_9("mysql-9", "LEASEHOLD_TEST_MYSQL_URL");

    private final String program;
    private final String variable;

    Kind(String program, String variable) {
      this.program = program;
      this.variable = variable;
    }

    /** Its name in {@code servers/fetch --list}. */
    public String program() {
      return program;
    }

    /** What can speak to it; its maker's own first. */
    public List<SqlDriver> drivers() {
      return switch (this) {
        case MARIADB_10_11 -> List.of(SqlDriver.MARIADB, SqlDriver.MYSQL);
        case POSTGRESQL_15 -> List.of(SqlDriver.POSTGRESQL);
        case MYSQL_9 -> List.of(SqlDriver.MYSQL, SqlDriver.MARIADB);
      };
    }

    SqlEngine engine() {
      return switch (this) {
        case MARIADB_10_11 -> MysqlEngine.MARIADB;
        case POSTGRESQL_15 -> PostgresqlEngine.POSTGRESQL;
        case MYSQL_9 -> MysqlEngine.MYSQL;
      };
    }

    /** The URL in the environment, if one is given. */
    Optional<String> givenUrl() {
      return Optional.ofNullable(System.getenv(variable));
    }

    /** For what a given server cannot do. */
    RuntimeException notOurs(String what) {
      return Availability.missing(variable + " gives a server that tests do not own: " + what);
    }
  }

  private final Kind kind;
  private final SqlAccess access;
  private final Optional<ServerProcess> process;
  private final Optional<SteppableClock> clock;
  private final Optional<NumberShim> disk;
  private final Queue<String> databases = new ConcurrentLinkedQueue<>();

  SqlServer(
      Kind kind,
      SqlAccess access,
      Optional<ServerProcess> process,
      Optional<SteppableClock> clock,
      Optional<NumberShim> disk) {
    this.kind = kind;
    this.access = access;
    this.process = process;
    this.clock = clock;
    this.disk = disk;
  }

  /** To be configured and started. */
  public static SqlServerBuilder of(Kind kind) {
    return new SqlServerBuilder(kind);
  }

  /** Which server this is. */
  public Kind kind() {
    return kind;
  }

  /** Where it is: 127.0.0.1, unless another is given. */
  public String host() {
    return access.host();
  }

  /** Where it listens. */
  public int port() {
    return access.port();
  }

  /** The account of the tests. */
  public String user() {
    return access.user();
  }

  /** Of that account. */
  public String password() {
    return access.password();
  }

  /** A database that is always there. */
  public String database() {
    return access.database();
  }

  /** The URL of that database for the tests' account, with its password. */
  public String jdbcUrl() {
    return access.url();
  }

  /** The same for another of its {@link Kind#drivers()}. */
  public String jdbcUrl(SqlDriver driver) {
    return speaking(driver).url();
  }

  /** The same by way of a proxy on this machine that listens there. */
  public String jdbcUrlBy(int proxyPort) {
    return access.by(proxyPort).url();
  }

  /** Makes a database of its own for a test that shares the server; returns its URL. */
  public String newDatabase() {
    return newDatabase(access.driver());
  }

  /** The same for another of its {@link Kind#drivers()}. */
  public String newDatabase(SqlDriver driver) {
    String name = "leasehold_" + UUID.randomUUID().toString().replace("-", "");
    execute(kind.engine().createDatabase(name, user()));
    databases.add(name);
    return speaking(driver).in(name).url();
  }

  private SqlAccess speaking(SqlDriver driver) {
    if (!kind.drivers().contains(driver)) {
      throw new IllegalArgumentException(driver + " does not speak to " + kind);
    }
    return access.with(driver);
  }

  /** A connection as the administrator; the caller closes it. */
  public Connection connect() throws SQLException {
    return (process.isPresent() ? access.asAdministrator() : access).connect();
  }

  private void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql + " failed: " + e.getMessage(), e);
    }
  }

  /** Steps its wall clock; it must have been started {@code withSteppableClock()}. */
  public void stepClock(Duration step) {
    clock.orElseThrow(() -> new IllegalStateException("no withSteppableClock()")).step(step);
  }

  /**
   * From now on none of its files grows, until {@link #freeDisk}; it must have been started {@code
   * withFillableDisk()}.
   */
  public void fillDisk() {
    disk().set(1);
  }

  /** There is room again. */
  public void freeDisk() {
    disk().set(0);
  }

  private NumberShim disk() {
    return disk.orElseThrow(() -> new IllegalStateException("no withFillableDisk()"));
  }

  /** Its process: log, data. */
  public ServerProcess process() {
    return process.orElseThrow(() -> kind.notOurs("it cannot be stopped, paused or looked into"));
  }

  /** See {@link ServerProcess#pid()}. */
  public long pid() {
    return process().pid();
  }

  /** See {@link ServerProcess#start()}. */
  public void start() {
    process().start();
  }

  /** Starts it again with nothing but an empty {@link #database()}. */
  public void startEmpty() {
    process().startEmpty();
  }

  /** Ends it in order; who is connected is thrown out. */
  public void stop() {
    process().stop(kind.engine().stopSignal());
  }

  /** See {@link ServerProcess#kill()}. */
  public void kill() {
    process().kill();
  }

  /** See {@link ServerProcess#pause()}. */
  public void pause() {
    process().pause();
  }

  /** See {@link ServerProcess#resume()}. */
  public void resume() {
    process().resume();
  }

  /** Ends it and deletes what it kept; of a given server, the new databases. */
  @Override
  public void close() {
    process.ifPresentOrElse(
        ServerProcess::close,
        () -> databases.forEach(name -> execute(kind.engine().dropDatabase(name))));
  }

  @Override
  public String toString() {
    return kind.program();
  }
}
