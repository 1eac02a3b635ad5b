package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;

/** MySQL 8.0.17 or newer; and what MariaDB has in common with it. */
class MySqlDialect implements Dialect {
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int LOCKED_AT_ONCE = 3572;

  private static final String TAKE =
      takeOver(LeaseTable.WANTED) + " AND expires <= {now} AND others_until <= {now}";

  /**
   * A grant, whatever the row says. The number comes back, twice as large, with whether others wait
   * in its lowest bit: {@link #taken}.
   */
  static String takeOver(String wanted) {
    return """
        UPDATE {lock} SET fence = LAST_INSERT_ID(2 * ({next}) + WANTED) DIV 2, lease_id = :id,
            holder = :holder, granted = {now}, expires = {now} + :life
          WHERE name = :name AND lease_id <> :id"""
        .replace("WANTED", wanted);
  }

  @Override
  public String name() {
    return "mysql";
  }

  @Override
  public String driver() {
    return "com.mysql:mysql-connector-j";
  }

  @Override
  public String driverClass() {
    return "com.mysql.cj.jdbc.Driver";
  }

  @Override
  public char quote() {
    return '`';
  }

  @Override
  public String now() {
    return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
  }

  @Override
  public String keep() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  public String tlsAdvice() {
    return "see the parameter sslMode of the URL: DISABLED, PREFERRED, REQUIRED, VERIFY_CA or"
        + " VERIFY_IDENTITY";
  }

  @Override
  public Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("connectTimeout", "5000");
    properties.setProperty("socketTimeout", "5000");
    properties.setProperty("tcpKeepAlive", "true");
    // Of several hosts: more often we try ourselves.
    properties.setProperty("retriesAllDown", "1");
    // Otherwise the server parses each statement anew, which takes a third of its time.
    properties.setProperty("useServerPrepStmts", "true");
    // Sessions keep their statements themselves.
    properties.setProperty("cachePrepStmts", "false");
    return properties;
  }

  @Override
  public void setUp(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION innodb_lock_wait_timeout = 1");
      statement.execute(idleLimit());
    }
  }

  @Override
  public List<String> lend(Session session) throws SQLException {
    return List.of(
        setting(session, "innodb_lock_wait_timeout", 1), setting(session, "wait_timeout", 30));
  }

  static String setting(Session session, String name, int seconds) throws SQLException {
    String set = "SET SESSION " + name + " = %s";
    return Dialect.set(session, "SELECT @@" + name, set, String.valueOf(seconds));
  }

  /** So that a process that stops within a transaction does not keep others from the name. */
  String idleLimit() {
    return "SET SESSION wait_timeout = 30";
  }

  @Override
  public void begin(Session session) throws SQLException {
    session.runUnprepared("START TRANSACTION");
  }

  @Override
  public void commit(Session session) throws SQLException {
    session.runUnprepared("COMMIT");
  }

  @Override
  public void rollBack(Session session) throws SQLException {
    session.runUnprepared("ROLLBACK");
  }

  /** The driver knows of none: they are begun and ended by statements. */
  @Override
  public void leaveTransaction(Session session) throws SQLException {
    rollBack(session);
  }

  @Override
  public Optional<Taken> take(Session session, Ticket ticket) throws SQLException {
    Optional<Taken> taken = taken(session.updateForNumber(TAKE, LeaseTable.values(ticket)));
    return taken.isEmpty() ? taken : Optional.of(asked(session, ticket, taken.get()));
  }

  /** It locks the row that the key names before it looks whether it matches. */
  @Override
  public boolean takeWaitsWhileHeld() {
    return true;
  }

  static Optional<Taken> taken(OptionalLong number) {
    return number.isEmpty()
        ? Optional.empty()
        : Optional.of(new Taken(number.getAsLong() / 2, number.getAsLong() % 2 > 0));
  }

  @Override
  public boolean waitFor(Session session, Duration maxWait, Waiting statements)
      throws SQLException {
    String before = Dialect.text(session, "SELECT @@innodb_lock_wait_timeout");
    long seconds = Math.max(1, maxWait.plusMillis(999).toSeconds());
    session.runUnprepared("SET SESSION innodb_lock_wait_timeout = " + seconds);
    try {
      return statements.run();
    } catch (SQLException e) {
      if (trouble(e) == Trouble.LOCKED) {
        return false;
      }
      throw e;
    } finally {
      session.runUnprepared("SET SESSION innodb_lock_wait_timeout = " + before);
    }
  }

  @Override
  public void newNameIfAbsent(Session session, String name) throws SQLException {
    NameRows.make(session, name, "ON DUPLICATE KEY UPDATE fence = fence");
  }

  @Override
  public Trouble trouble(SQLException e) {
    return switch (e.getErrorCode()) {
      case LOCK_WAIT_TIMEOUT, LOCKED_AT_ONCE -> Trouble.LOCKED;
      // The last three: its time is over, or an administrator ended it. The connection lives.
      case 1213, 3058, 1020, 1317, 1969, 3024 -> Trouble.BUSY;
      case 1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1927, 4031 -> Trouble.BROKEN;
      case 1044, 1045, 1142, 1143, 1227, 1370, 1698 -> Trouble.FORBIDDEN;
      case 1049, 1146, 1054 -> Trouble.MISSING;
      case 1290, 1792, 1836, 3100 -> Trouble.READ_ONLY;
      case 1040, 1203, 1226 -> Trouble.FULL;
      case 1062 -> Trouble.DUPLICATE;
      default -> Dialect.standard(e);
    };
  }

  @Override
  public List<Finding> diagnose(Session session) throws SQLException {
    List<Finding> found = new ArrayList<>();
    found.add(new Finding(Level.OK, "server", Dialect.text(session, "SELECT VERSION()")));
    String flush = Dialect.text(session, "SELECT @@innodb_flush_log_at_trx_commit");
    found.add(
        new Finding(
            flush.equals("1") ? Level.OK : Level.WARNING,
            "persistence",
            "innodb_flush_log_at_trx_commit="
                + flush
                + (flush.equals("1")
                    ? ""
                    : ": a crash of the server may forget a grant that was answered; set it to 1")));
    if (!Dialect.text(session, "SELECT @@read_only").equals("0")) {
      found.add(
          new Finding(Level.ERROR, "replication", "read_only is set: connect to the primary"));
    }
    found.addAll(replication(session));
    return found;
  }

  /** What a failover costs. */
  List<Finding> replication(Session session) throws SQLException {
    String replicas =
        Dialect.text(
            session,
            "SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'");
    return List.of(
        replicas.equals("0")
            ? new Finding(Level.OK, "replication", "no replica is connected, as far as we may see")
            : new Finding(
                Level.WARNING,
                "replication",
                replicas
                    + " replicas: unless they are semi-synchronous a failover may forget a grant, and"
                    + " two hold; let the data refuse lower tokens"));
  }
}
