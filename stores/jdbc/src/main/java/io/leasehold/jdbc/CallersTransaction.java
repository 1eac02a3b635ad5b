package io.leasehold.jdbc;

import io.leasehold.StoreException;
import java.sql.Connection;
import java.sql.SQLException;

/** Runs statements of ours in a transaction of the caller, on the caller's connection. */
final class CallersTransaction {
  private final String prefix;

  CallersTransaction(String prefix) {
    // Looked at early: what is wrong with it is told when it is said
    this.prefix = new Tables(new H2Dialect(), prefix).prefix();
  }

  /** What is done, knowing the database. */
  interface Work<T> {
    T run(Session session, Dialect dialect) throws SQLException;
  }

  /**
   * Runs it.
   *
   * @throws IllegalStateException if there is no transaction: each statement would end at once
   * @throws StoreException if the database fails; what becomes of the transaction is the caller's
   *     affair
   */
  <T> T run(Connection connection, Work<T> work) {
    try {
      requireTransaction(connection);
      Dialect dialect = ServerStores.dialect(connection, prefix);
      ServerErrors errors = new ServerErrors(dialect.name(), dialect);
      Tables tables = new Tables(dialect, prefix);
      try (Session session = Session.onLoan(connection, sql -> tables.spelled(sql))) {
        return work.run(session, dialect);
      } catch (SQLException e) {
        throw errors.notApplied(e);
      }
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Failure.UNAVAILABLE,
          "the connection cannot be used: " + e.getMessage(),
          e);
    }
  }

  /** The same on a SQLite file. */
  <T> T runOnFile(Connection connection, Session.Work<T> work) {
    try {
      requireTransaction(connection);
      try (Session session = Session.onLoan(connection, sql -> sql)) {
        return work.run(session);
      }
    } catch (SQLException e) {
      throw new StoreException(
          StoreException.Failure.UNAVAILABLE, "the database failed: " + e.getMessage(), e);
    }
  }

  private static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode: call setAutoCommit(false) first, for what is"
              + " locked is free again when the transaction ends");
    }
  }
}
