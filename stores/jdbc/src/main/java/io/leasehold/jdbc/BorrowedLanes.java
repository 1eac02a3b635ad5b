package io.leasehold.jdbc;

import io.leasehold.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Connections of the application's own pool, each for one request. They are given back as they were
 * taken.
 */
final class BorrowedLanes implements Lanes {
  private final DataSource source;
  private final ServerErrors errors;
  private final UnaryOperator<String> spelling;

  BorrowedLanes(DataSource source, ServerErrors errors, UnaryOperator<String> spelling) {
    this.source = source;
    this.errors = errors;
    this.spelling = spelling;
  }

  @Override
  public Session take(Limit limit) {
    try {
      Connection connection = source.getConnection();
      try {
        if (limit.hasPassed()) {
          throw errors.unavailable("gave a connection of its pool too late");
        }
        Session session = new Session(connection, StatementHook.NONE, spelling);
        // The pool's connections have a timeout of their own, which is not ours to set.
        session.boundStatements(Duration.ofNanos(Math.max(0, limit.left())));
        session.readCommitted();
        return session;
      } catch (SQLException | RuntimeException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw errors.notConnected(e);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException e) {
      throw errors.notConnected(new SQLException(e));
    }
  }

  @Override
  public void giveBack(Session session) {
    try {
      session.restore();
    } catch (SQLException e) {
      log(e);
    }
    discard(session);
  }

  /** The pool finds out that a connection is broken when it gets it back. */
  @Override
  public void discard(Session session) {
    try {
      session.close();
    } catch (SQLException e) {
      log(e);
    }
  }

  private static void log(SQLException e) {
    System.getLogger(BorrowedLanes.class.getName())
        .log(System.Logger.Level.DEBUG, "a connection was not given back well", e);
  }

  @Override
  public void close() {}
}
