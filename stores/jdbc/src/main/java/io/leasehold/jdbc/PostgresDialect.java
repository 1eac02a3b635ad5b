package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.PGConnection;

/** PostgreSQL 12 or newer. */
final class PostgresDialect implements Dialect {
  /** A grant, up to which row it is of. */
  static final String GRANT =
      """
      UPDATE {lock} SET fence = {next}, lease_id = :id, holder = :holder, granted = {now},
        expires = {now} + :life""";

  private static final String TAKE =
      GRANT
          + " WHERE name = :name AND expires <= {now} AND others_until <= {now} AND lease_id <> :id"
          + " RETURNING fence, "
          + LeaseTable.WANTED;

  /**
   * What those who wait are told: who is the first of the fair ones, if that is to be the only one
   * of them to come, and the name.
   */
  private static final String MESSAGE =
      """
      coalesce((SELECT CASE WHEN f.mode = 'EXCLUSIVE' THEN f.lease_id ELSE '' END FROM {queue} f
        WHERE f.name = :name AND f.fair = 1 AND f.expires > {now} ORDER BY f.place LIMIT 1), '')
        || ' ' || :name""";

  /** Tells those who wait, if there are any, in the step in which the lease ends. */
  private static final String FREE =
      """
      UPDATE {lock} SET expires = 0 WHERE name = :name AND lease_id = :id AND expires > {now}
      RETURNING CASE WHEN wanted_until > {now} THEN pg_notify(:channel,\s"""
          + MESSAGE
          + ") END";

  private static final String TELL =
      "SELECT pg_notify(:channel, "
          + MESSAGE
          + ") FROM {lock} WHERE name = :name AND wanted_until > {now}";

  /**
   * Settings of our connections. As such a pooler takes them, or refuses; what is set by statements
   * would stay on a connection that others get next. The second keeps a process that stops within a
   * transaction from keeping others from the name for long.
   */
  private static final String OPTIONS =
      "-c lock_timeout=1s -c idle_in_transaction_session_timeout=5s"
          + " -c default_transaction_isolation=read\\ committed";

  private final String channel;

  /**
   * Of one set of tables.
   *
   * @param channel on which those who wait are told
   */
  PostgresDialect(String channel) {
    this.channel = channel;
  }

  String channel() {
    return channel;
  }

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public String driver() {
    return "org.postgresql:postgresql";
  }

  @Override
  public String driverClass() {
    return "org.postgresql.Driver";
  }

  @Override
  public char quote() {
    return '"';
  }

  /** As floating point, which is exact to the microsecond, and costs less than decimals. */
  @Override
  public String now() {
    return "CAST(date_part('epoch', clock_timestamp()) * 1000000 AS bigint)";
  }

  @Override
  public String keep() {
    return " FOR SHARE";
  }

  @Override
  public String tlsAdvice() {
    return "see the parameter sslmode of the URL: disable, prefer, require, verify-ca or verify-full";
  }

  @Override
  public Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "leasehold");
    properties.setProperty("connectTimeout", "5");
    // A server may take the connection and say nothing.
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "5");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("options", OPTIONS);
    return properties;
  }

  @Override
  public Properties listeningProperties() {
    Properties properties = properties();
    if (Drivers.sees(driverClass(), ListeningSockets.class)) {
      properties.setProperty("socketFactory", ListeningSockets.class.getName());
    }
    return properties;
  }

  /** Nothing: {@link #OPTIONS} come with the greeting. */
  @Override
  public void setUp(Connection connection) {}

  /** Behind a pooler what is set could be another's next, and never set back: nothing is. */
  @Override
  public List<String> lend(Session session) throws SQLException {
    if (!isDirect(session)) {
      return List.of();
    }
    return List.of(
        setting(session, "lock_timeout", "1s"),
        setting(session, "idle_in_transaction_session_timeout", "5s"));
  }

  private static String setting(Session session, String name, String value) throws SQLException {
    return Dialect.set(session, "SHOW " + name, "SET " + name + " = '%s'", value);
  }

  /** Whether the server that answers is the one that the driver greeted. */
  private static boolean isDirect(Session session) throws SQLException {
    try {
      Connection connection = session.connection();
      return connection.isWrapperFor(PGConnection.class)
          && Dialect.text(session, "SELECT pg_backend_pid()")
              .equals(String.valueOf(connection.unwrap(PGConnection.class).getBackendPID()));
    } catch (LinkageError e) {
      // The pool has the driver from a place that we do not see.
      return false;
    }
  }

  @Override
  public Optional<Taken> take(Session session, Ticket ticket) throws SQLException {
    return taken(session, TAKE, ticket);
  }

  @Override
  public boolean free(Session session, Ticket ticket) throws SQLException {
    Map<String, Object> values = LeaseTable.values(ticket);
    values.put("channel", channel);
    return !session.query(FREE, values, row -> true).isEmpty();
  }

  @Override
  public void tell(Session session, String name) throws SQLException {
    session.query(TELL, Map.of("name", name, "channel", channel), row -> true);
  }

  /** An error would end the transaction, so it goes back to before. */
  @Override
  public boolean waitFor(Session session, Duration maxWait, Waiting statements)
      throws SQLException {
    String before = Dialect.text(session, "SHOW lock_timeout");
    Savepoint start = session.connection().setSavepoint();
    try {
      session.run("SET LOCAL lock_timeout = " + Math.max(1, maxWait.toMillis()));
      boolean answer = statements.run();
      session.run("SET LOCAL lock_timeout = '" + before + "'");
      session.connection().releaseSavepoint(start);
      return answer;
    } catch (SQLException e) {
      session.connection().rollback(start);
      if (trouble(e) == Trouble.LOCKED) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void newNameIfAbsent(Session session, String name) throws SQLException {
    NameRows.make(session, name, "ON CONFLICT DO NOTHING");
  }

  @Override
  public boolean passesOverLocked() {
    return true;
  }

  /** In any other encoding some names cannot be written, or count as longer than they are. */
  @Override
  public Optional<String> unfit(Session session) throws SQLException {
    String encoding = Dialect.text(session, "SHOW server_encoding");
    return encoding.equals("UTF8")
        ? Optional.empty()
        : Optional.of(
            "is encoded in "
                + encoding
                + ", which cannot keep every lock name: use a database made by CREATE DATABASE …"
                + " ENCODING 'UTF8' TEMPLATE template0");
  }

  @Override
  public boolean isOfUrl(SQLException e) {
    return "22023".equals(e.getSQLState());
  }

  @Override
  public Trouble trouble(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return switch (state) {
      case "55P03" -> Trouble.LOCKED;
      case "57014" -> Trouble.BUSY;
      case "57P01", "57P02", "57P03", "57P05", "25P03" -> Trouble.BROKEN;
      // No password where one is wanted, or a way to log in that the driver does not know
      case "08004", "42501" -> Trouble.FORBIDDEN;
      case "42P01", "3D000", "3F000", "42703" -> Trouble.MISSING;
      case "53300" -> Trouble.FULL;
      // Another process is making the same tables at this moment
      case "42710", "42P07" -> Trouble.DUPLICATE;
      case "25006" -> Trouble.READ_ONLY;
      default -> Dialect.standard(e);
    };
  }

  @Override
  public List<Finding> diagnose(Session session) throws SQLException {
    List<Finding> found = new ArrayList<>();
    found.add(
        new Finding(
            Level.OK, "server", "PostgreSQL " + Dialect.text(session, "SHOW server_version")));
    String commit = Dialect.text(session, "SHOW synchronous_commit");
    String fsync = Dialect.text(session, "SHOW fsync");
    boolean isSafe = !commit.equals("off") && fsync.equals("on");
    found.add(
        new Finding(
            isSafe ? Level.OK : Level.WARNING,
            "persistence",
            "fsync="
                + fsync
                + ", synchronous_commit="
                + commit
                + (isSafe
                    ? ""
                    : ": a crash of the server may forget a grant that was answered; set both on")));
    if (Dialect.text(session, "SELECT pg_is_in_recovery()").startsWith("t")) {
      found.add(
          new Finding(
              Level.ERROR, "replication", "a standby, which may only be read: use the primary"));
    } else {
      found.add(replication(session));
    }
    return found;
  }

  private static Finding replication(Session session) throws SQLException {
    String standbys = Dialect.text(session, "SELECT count(*) FROM pg_stat_replication");
    String synchronous = Dialect.text(session, "SHOW synchronous_standby_names");
    return standbys.equals("0") || !synchronous.isEmpty()
        ? new Finding(
            Level.OK,
            "replication",
            standbys + " standbys, synchronous_standby_names='" + synchronous + "'")
        : new Finding(
            Level.WARNING,
            "replication",
            standbys
                + " standbys, none of them synchronous: a failover may forget a grant, and two hold;"
                + " set synchronous_standby_names, and let the data refuse lower tokens");
  }
}
