package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One connection with its {@link NamedStatements}, and how long it may take. Not thread-safe. */
final class Session implements AutoCloseable {
  private final Connection connection;
  private final StatementHook hook;
  private final NamedStatements statements;
  private final boolean onLoan;
  private @Nullable Limit limit;
  private int sent;
  private Map<String, Object> common = Map.of();

  Session(Connection connection, StatementHook hook) {
    this(connection, hook, UnaryOperator.identity());
  }

  /**
   * On a connection.
   *
   * @param spelling makes of a statement what this database understands
   */
  Session(Connection connection, StatementHook hook, UnaryOperator<String> spelling) {
    this(connection, hook, spelling, false);
  }

  /** On a connection of the caller, which stays open. */
  static Session onLoan(Connection connection, UnaryOperator<String> spelling) {
    return new Session(connection, StatementHook.NONE, spelling, true);
  }

  private Session(
      Connection connection, StatementHook hook, UnaryOperator<String> spelling, boolean onLoan) {
    this.connection = connection;
    this.hook = hook;
    this.statements = new NamedStatements(connection, spelling);
    this.onLoan = onLoan;
  }

  /** What is done with it, in a transaction or not. */
  interface Work<T> {
    T run(Session session) throws SQLException;
  }

  /** Reads one row of an answer. */
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  Connection connection() {
    return connection;
  }

  /**
   * From now on no statement takes longer.
   *
   * @param newLimit null: the driver cannot bound a statement's time, or it is bounded elsewhere
   */
  void begin(@Nullable Limit newLimit) {
    limit = newLimit;
    sent = 0;
  }

  /** How many statements were sent since {@link #begin}. */
  int sent() {
    return sent;
  }

  /** Before anything is sent. */
  private void sending(String sql) throws SQLException {
    bound();
    hook.before(sql);
    sent++;
  }

  private void bound() throws SQLException {
    Limit bound = limit;
    if (bound != null) {
      bound(bound);
    }
  }

  /** Bounds what is sent next on this connection. */
  void bound(Limit bound) throws SQLException {
    long millis = Duration.ofNanos(bound.left()).toMillis();
    if (millis <= 0) {
      throw new SQLTimeoutException("there is no time left to ask");
    }
    connection.setNetworkTimeout(Runnable::run, (int) Math.min(Integer.MAX_VALUE, millis));
  }

  /** Sets what every statement from now on may use beside its own values: the time. */
  void common(Map<String, Object> values) {
    common = values;
  }

  /** Runs a statement that answers with rows. */
  <T> List<T> query(String sql, Map<String, ?> values, RowReader<T> reader) throws SQLException {
    PreparedStatement statement = bound(sql, values, Statement.NO_GENERATED_KEYS);
    sending(sql);
    List<T> rows = new ArrayList<>();
    // Read to the end: only then has a changing statement with RETURNING been carried out.
    try (ResultSet answer = statement.executeQuery()) {
      while (answer.next()) {
        rows.add(reader.read(answer));
      }
    }
    hook.after(sql);
    return rows;
  }

  /** Runs a statement that answers with the number of rows it changed. */
  int update(String sql, Map<String, ?> values) throws SQLException {
    PreparedStatement statement = bound(sql, values, Statement.NO_GENERATED_KEYS);
    sending(sql);
    int changed = statement.executeUpdate();
    hook.after(sql);
    return changed;
  }

  /** Runs a statement that changes a row at most, and answers with a number if it did. */
  OptionalLong updateForNumber(String sql, Map<String, ?> values) throws SQLException {
    PreparedStatement statement = bound(sql, values, Statement.RETURN_GENERATED_KEYS);
    sending(sql);
    OptionalLong number = OptionalLong.empty();
    if (statement.executeUpdate() > 0) {
      try (ResultSet keys = statement.getGeneratedKeys()) {
        if (keys.next()) {
          number = OptionalLong.of(keys.getLong(1));
        }
      }
    }
    hook.after(sql);
    return number;
  }

  /** Runs a statement without values. */
  void run(String sql) throws SQLException {
    PreparedStatement statement = bound(sql, Map.of(), Statement.NO_GENERATED_KEYS);
    sending(sql);
    statement.execute();
    hook.after(sql);
  }

  /** The same of one that a server does not prepare. */
  void runUnprepared(String sql) throws SQLException {
    try (Statement statement = statements.unprepared()) {
      sending(sql);
      statement.execute(sql);
    }
    hook.after(sql);
  }

  private PreparedStatement bound(String sql, Map<String, ?> values, int keys) throws SQLException {
    return statements.bound(sql, values, common, keys, this::bound);
  }

  /** Closes what was prepared on the connection. */
  void closeStatements() throws SQLException {
    statements.close();
  }

  @Override
  public void close() throws SQLException {
    if (onLoan) {
      statements.close();
    } else {
      connection.close();
    }
  }
}
