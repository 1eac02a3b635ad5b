package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Connections of the application's own pool. They are given back as they were taken, and never
 * within a transaction.
 */
final class LentConnections implements LaneSource {
  /**
   * How many are kept. With one a request that waits for a row would keep the others from theirs.
   */
  static final int KEPT = 2;

  /** How long the way back takes at most. */
  private static final Duration RETURNING = Duration.ofSeconds(1);

  private static final Duration LENDING = Duration.ofSeconds(5);

  private final DataSource pool;
  private final Dialect dialect;
  private final ServerErrors errors;
  private final Tables tables;
  private final Clock clock;
  private final Map<Session, Before> before = new ConcurrentHashMap<>();

  /**
   * What a connection was when it was lent.
   *
   * @param settings statements that set back what the dialect has set
   */
  private record Before(
      boolean autoCommit, int isolation, int networkTimeout, List<String> settings) {}

  LentConnections(
      DataSource pool, Dialect dialect, ServerErrors errors, Tables tables, Clock clock) {
    this.pool = pool;
    this.dialect = dialect;
    this.errors = errors;
    this.tables = tables;
    this.clock = clock;
  }

  @Override
  public boolean lends() {
    return true;
  }

  @Override
  public Session open() {
    try {
      return prepared(pool.getConnection());
    } catch (SQLException e) {
      throw errors.noneGiven(e);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException e) {
      // Pools have failures of their own.
      throw errors.noneGiven(new SQLException(e));
    }
  }

  /** Makes of a connection what the store needs. */
  Session prepared(Connection connection) throws SQLException {
    Session session = new Session(connection, StatementHook.NONE, tables::spelled);
    try (Limit limit = new Limit(clock, LENDING)) {
      // First: to ask for anything could begin a transaction, in which nothing can be set.
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      int networkTimeout = bound(session, limit);
      int isolation = connection.getTransactionIsolation();
      if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      List<String> settings = dialect.lend(session);
      before.put(session, new Before(autoCommit, isolation, networkTimeout, settings));
      return session;
    } catch (SQLException | RuntimeException | Error e) {
      // Some of it may be set already.
      dialect.end(connection);
      connection.close();
      throw e;
    }
  }

  /** Bounds the time of what is sent; what the bound was. */
  private int bound(Session session, Limit limit) throws SQLException {
    if (!dialect.hasNetworkTimeout()) {
      return 0;
    }
    int was = session.connection().getNetworkTimeout();
    session.begin(limit);
    session.bound(limit);
    return was;
  }

  /** What cannot be made as it was is ended, which its pool finds when it gets it back. */
  @Override
  public void end(Session session, Dialect ignored) throws SQLException {
    Before was = before.remove(session);
    if (was == null) {
      return; // it was given back
    }
    try (Limit limit = new Limit(clock, RETURNING);
        Connection connection = session.connection()) {
      try {
        bound(session, limit);
        restore(session, was);
      } catch (SQLException e) {
        dialect.end(connection);
        throw e;
      }
    }
  }

  private void restore(Session session, Before was) throws SQLException {
    Connection connection = session.connection();
    dialect.leaveTransaction(session);
    for (String setting : was.settings()) {
      session.runUnprepared(setting);
    }
    if (was.isolation() != Connection.TRANSACTION_READ_COMMITTED) {
      connection.setTransactionIsolation(was.isolation());
    }
    session.closeStatements();
    if (dialect.hasNetworkTimeout()) {
      connection.setNetworkTimeout(Runnable::run, was.networkTimeout());
    }
    if (!was.autoCommit()) {
      connection.setAutoCommit(false);
    }
  }
}
