package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/** H2 2.2.220 or newer. */
final class H2Dialect implements Dialect {
  private static final int LOCK_TIMEOUT = 50200;
  private static final String PATH = "SELECT DATABASE_PATH()";

  private static final String TAKE =
      "SELECT fence, "
          + LeaseTable.WANTED
          + """
           FROM FINAL TABLE (UPDATE {lock} SET fence = {next}, lease_id = :id, holder = :holder,
            granted = {now}, expires = {now} + CAST(:life AS BIGINT)
          WHERE name = :name AND expires <= {now} AND others_until <= {now} AND lease_id <> :id)
          """;

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public String driver() {
    return "com.h2database:h2";
  }

  @Override
  public String driverClass() {
    return "org.h2.Driver";
  }

  @Override
  public char quote() {
    return '"';
  }

  /** Not {@code DATEDIFF}: it looks at the local time, and each client brings its time zone. */
  @Override
  public String now() {
    return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";
  }

  /** Names are bytes: strings are compared as the database was told to. */
  @Override
  public String nameParameter(String parameter) {
    return "CAST(" + parameter + " AS VARBINARY)";
  }

  @Override
  public String keep() {
    return " FOR UPDATE";
  }

  @Override
  public String tlsAdvice() {
    return "write jdbc:h2:ssl: for TLS";
  }

  @Override
  public Properties properties() {
    return new Properties();
  }

  @Override
  public void setUp(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCK_TIMEOUT 1000");
    }
  }

  @Override
  public List<String> lend(Session session) throws SQLException {
    return List.of(Dialect.set(session, "SELECT LOCK_TIMEOUT()", "SET LOCK_TIMEOUT %s", "1000"));
  }

  @Override
  public boolean hasNetworkTimeout() {
    return false;
  }

  /** And a database in memory goes with its last connection. */
  @Override
  public boolean endsIdle() {
    return false;
  }

  @Override
  public void end(Connection connection) throws SQLException {
    connection.close();
  }

  /** The clock stands still within a transaction: so none waits. */
  @Override
  public String lockClause() {
    return " FOR UPDATE NOWAIT";
  }

  @Override
  public Optional<Taken> take(Session session, Ticket ticket) throws SQLException {
    return taken(session, TAKE, ticket);
  }

  @Override
  public boolean waitFor(Session session, Duration maxWait, Waiting statements)
      throws SQLException {
    String before = Dialect.text(session, "SELECT LOCK_TIMEOUT()");
    session.run("SET LOCK_TIMEOUT " + Math.max(1, maxWait.toMillis()));
    try {
      return statements.run();
    } catch (SQLException e) {
      if (trouble(e) == Trouble.LOCKED) {
        return false;
      }
      throw e;
    } finally {
      session.run("SET LOCK_TIMEOUT " + before);
    }
  }

  @Override
  public void newNameIfAbsent(Session session, String name) throws SQLException {
    try {
      NameRows.make(session, name);
    } catch (SQLException e) {
      if (trouble(e) != Trouble.DUPLICATE) {
        throw e;
      }
    }
  }

  @Override
  public boolean isOfUrl(SQLException e) {
    return Set.of(90011, 90046, 90066, 90113).contains(e.getErrorCode());
  }

  @Override
  public Trouble trouble(SQLException e) {
    return switch (e.getErrorCode()) {
      case LOCK_TIMEOUT -> Trouble.LOCKED;
      case 90131, 40001 -> Trouble.BUSY;
      case 90067, 90098, 90121, 90007 -> Trouble.BROKEN;
      case 90096, 28000 -> Trouble.FORBIDDEN;
      case 42102, 42103, 42104, 42122, 90013, 90079, 90149, 90146 -> Trouble.MISSING;
      case 42101 -> Trouble.DUPLICATE;
      case 90097 -> Trouble.READ_ONLY;
      default -> Dialect.standard(e);
    };
  }

  @Override
  public List<Finding> diagnose(Session session) throws SQLException {
    return List.of(
        new Finding(Level.OK, "server", "H2 " + Dialect.text(session, "SELECT H2VERSION()")),
        isPersistent(session)
            ? new Finding(Level.OK, "persistence", "a file: " + Dialect.text(session, PATH))
            : new Finding(
                Level.WARNING,
                "persistence",
                "the database is in memory: a restart forgets everything"));
  }

  @Override
  public boolean isPersistent(Session session) throws SQLException {
    return !Dialect.text(session, PATH).equals("null");
  }
}
