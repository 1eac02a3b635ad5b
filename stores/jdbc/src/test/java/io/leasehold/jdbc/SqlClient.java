package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A connection whose statements may wait, on a thread of its own. */
final class SqlClient implements AutoCloseable {
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Connection connection;
  private final long id;

  SqlClient(String url) throws SQLException {
    connection = DriverManager.getConnection(url);
    id = Long.parseLong(ask("SELECT connection_id()", 1).get(0));
  }

  /** The server's number of this connection. */
  long id() {
    return id;
  }

  /** Begins a transaction. */
  void begin(Isolation isolation) throws SQLException {
    connection.setAutoCommit(false);
    connection.rollback(); // the isolation is that of the next one
    connection.setTransactionIsolation(isolation.jdbc());
  }

  /** Ends it and begins another. */
  void rollback() throws SQLException {
    connection.rollback();
  }

  /** Ends it and keeps what it did. */
  void commit() throws SQLException {
    connection.commit();
  }

  /** Runs a statement that must not fail. */
  void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Runs a statement; returns the server's number of its error, or 0. */
  int outcome(String sql) {
    try {
      run(sql);
      return 0;
    } catch (SQLException e) {
      return e.getErrorCode();
    }
  }

  /** The same, without waiting for it. */
  Future<Integer> start(String sql) {
    return thread.submit(() -> outcome(sql));
  }

  /** Does several things, without waiting for them. */
  Future<Integer> start(Callable<Integer> work) {
    return thread.submit(work);
  }

  /** A column of what a query finds. */
  List<String> ask(String sql, int column) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(String.valueOf(rows.getString(column)));
      }
    }
    return found;
  }

  @Override
  public void close() throws SQLException {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a statement does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connection.close();
  }

  /** The isolation of transactions. */
  enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ);

    private final int jdbc;

    Isolation(int jdbc) {
      this.jdbc = jdbc;
    }

    int jdbc() {
      return jdbc;
    }
  }
}
