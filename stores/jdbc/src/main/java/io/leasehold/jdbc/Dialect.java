package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * What differs between database servers. One class for each; everything else is written in what
 * they have in common. In statements stand {@code {now}} for the server's clock, in microseconds
 * since 1970, {@code {next}} for the next fence number of a name's row, {@code {lock}}, {@code
 * {share}}, {@code {queue}} and {@code {meta}} for the tables, and {@code {keep}} for the clause
 * that keeps others from changing a row that is only read.
 */
interface Dialect {
  /**
   * A grant.
   *
   * @param number the fence number
   * @param wanted whether another ticket waits
   */
  record Taken(long number, boolean wanted) {}

  /** How long a statement on a connection of our own waits for a row that others have locked. */
  Duration LOCK_WAIT = Duration.ofSeconds(1);

  /** What went wrong. */
  enum Trouble {
    /** The connection is of no use any more. */
    BROKEN,
    /** Others were in the way, or too slow: it may be tried again. The statement had no effect. */
    BUSY,
    /** Others have a row locked, and kept it for as long as a statement waits: as {@link #BUSY}. */
    LOCKED,
    /** There is a row of this key already. */
    DUPLICATE,
    /** The server does not know us, or does not let us do this. */
    FORBIDDEN,
    /** There is no such table, or database. */
    MISSING,
    /** It lets no more connections be made. */
    FULL,
    /** The server, or we on it, may read only. */
    READ_ONLY,
    /** Something else. The statement had no effect. */
    OTHER
  }

  /** As in {@code jdbc:name:}, and the name of its schema file. */
  String name();

  /** The driver that is to be on the class path, as group:artifact. */
  String driver();

  /** The name of its class. */
  String driverClass();

  /** What quotes a name in a statement. */
  char quote();

  /** The server's clock as an expression: as it is when it is read, whatever the transaction. */
  String now();

  /**
   * A parameter whose value is the name of a lock, as it is compared with one.
   *
   * @param parameter as it is written where nothing is done about it
   */
  default String nameParameter(String parameter) {
    return parameter;
  }

  /** The clause that keeps others from changing a row that is only read. */
  String keep();

  /** What the driver is to be told beside user and password. */
  Properties properties();

  /** And what for a connection that listens. */
  default Properties listeningProperties() {
    return properties();
  }

  /** How the URL says whether there is TLS. */
  String tlsAdvice();

  /** Prepares a connection of our own: how long it waits for others, and is waited for. */
  void setUp(Connection connection) throws SQLException;

  /**
   * Prepares a connection that a pool lends in the same way.
   *
   * @return statements that set back what was set
   */
  List<String> lend(Session session) throws SQLException;

  /** Whether the driver ends a request that takes longer than it may. */
  default boolean hasNetworkTimeout() {
    return true;
  }

  /** Whether the server ends idle connections. */
  default boolean endsIdle() {
    return true;
  }

  /** Ends a connection without waiting for the server, which may be silent. */
  default void end(Connection connection) throws SQLException {
    connection.abort(Runnable::run);
  }

  /** Begins a transaction. */
  default void begin(Session session) throws SQLException {
    session.connection().setAutoCommit(false);
  }

  /** Ends it. */
  default void commit(Session session) throws SQLException {
    session.connection().commit();
    session.connection().setAutoCommit(true);
  }

  /** Undoes it. */
  default void rollBack(Session session) throws SQLException {
    session.connection().rollback();
    session.connection().setAutoCommit(true);
  }

  /** Undoes a transaction, if there is one. */
  default void leaveTransaction(Session session) throws SQLException {
    if (!session.connection().getAutoCommit()) {
      rollBack(session);
    }
  }

  /**
   * Gives the name's next number to the ticket, which wants it alone, if its row is there, says
   * that it is free, and was not granted to the ticket before; in one statement. Only if the row
   * says that there may be a waiter, another statement asks whether there is one: a subquery that
   * is not needed costs as much as the update of the row.
   */
  Optional<Taken> take(Session session, Ticket ticket) throws SQLException;

  /** Whether {@link #take} waits for a row that is locked also where it says that it is held. */
  default boolean takeWaitsWhileHeld() {
    return false;
  }

  /**
   * Frees what the ticket holds alone, in one statement, and tells those who wait; whether there
   * was anything.
   */
  default boolean free(Session session, Ticket ticket) throws SQLException {
    return session.update(LeaseTable.FREE, LeaseTable.values(ticket)) > 0;
  }

  /** Tells those who wait for the name that it may be free, if there are any. */
  default void tell(Session session, String name) throws SQLException {}

  /** What is done while others may be in the way. */
  interface Waiting {
    boolean run() throws SQLException;
  }

  /**
   * Runs statements in a transaction of the caller that wait for others no longer than this, and
   * leaves the settings and the transaction as they were.
   *
   * @return what they say; false if others were in the way all the time
   */
  boolean waitFor(Session session, Duration maxWait, Waiting statements) throws SQLException;

  /** Makes the row of a name in a transaction of the caller, or waits for who is making it. */
  void newNameIfAbsent(Session session, String name) throws SQLException;

  /** How the row of a name is locked where the clock would stand still while it is waited for. */
  default String lockClause() {
    return " FOR UPDATE";
  }

  /** Whether the driver fails for what the URL says. */
  default boolean isOfUrl(SQLException e) {
    return false;
  }

  /**
   * Whether a row that others have locked is passed over where it is not waited for: an error ends
   * a transaction of the caller.
   */
  default boolean passesOverLocked() {
    return false;
  }

  /** What an error means. */
  Trouble trouble(SQLException e);

  /** What keeps this database from telling names apart; empty if nothing does. */
  default Optional<String> unfit(Session session) throws SQLException {
    return Optional.empty();
  }

  /** Whether what is committed outlives the server. */
  default boolean isPersistent(Session session) throws SQLException {
    return true;
  }

  /** Looks for settings that could break a promise. */
  List<Finding> diagnose(Session session) throws SQLException;

  /** Runs a {@link #take} that answers with number and whether there may be a waiter, as a row. */
  default Optional<Taken> taken(Session session, String sql, Ticket ticket) throws SQLException {
    List<Taken> taken =
        session.query(
            sql, LeaseTable.values(ticket), row -> new Taken(row.getLong(1), row.getInt(2) > 0));
    return taken.isEmpty() ? Optional.empty() : Optional.of(asked(session, ticket, taken.get(0)));
  }

  /**
   * Asks whether others do wait where they may.
   *
   * @param taken with whether they may
   */
  default Taken asked(Session session, Ticket ticket, Taken taken) throws SQLException {
    try {
      return new Taken(taken.number(), taken.wanted() && QueueTable.hasOthers(session, ticket));
    } catch (SQLException e) {
      if (trouble(e) == Trouble.BROKEN) {
        throw e;
      }
      // It is taken all the same, so this must not look as if it were not.
      return taken;
    }
  }

  /** What most databases mean by their SQLState. */
  static Trouble standard(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return switch (state.substring(0, Math.min(2, state.length()))) {
      case "08" -> Trouble.BROKEN;
      case "28" -> Trouble.FORBIDDEN;
      case "40" -> Trouble.BUSY;
      case "23" -> Trouble.DUPLICATE;
      default -> Trouble.OTHER;
    };
  }

  /**
   * Sets a setting of a session.
   *
   * @param query asks what it is
   * @param set sets it, with {@code %s} for the value
   * @return the statement that sets it back
   */
  static String set(Session session, String query, String set, String value) throws SQLException {
    String before = text(session, query);
    session.runUnprepared(set.replace("%s", value));
    return set.replace("%s", before);
  }

  /** Reads the only value of the only row. */
  static String text(Session session, String sql) throws SQLException {
    return session.query(sql, Map.of(), row -> String.valueOf(row.getString(1))).get(0);
  }
}
