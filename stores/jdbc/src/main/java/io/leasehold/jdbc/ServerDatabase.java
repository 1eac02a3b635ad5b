package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.internal.Threads;
import io.leasehold.jdbc.Dialect.Trouble;
import java.sql.SQLException;

/** Runs statements on a database server, in bounded time. Thread-safe. */
final class ServerDatabase implements AutoCloseable {
  private final Lanes lanes;
  private final Dialect dialect;
  private final ServerErrors errors;
  private final Threads threads;

  /**
   * On a server.
   *
   * @param threads ended with it
   */
  ServerDatabase(Lanes lanes, Dialect dialect, ServerErrors errors, Threads threads) {
    this.threads = threads;
    this.lanes = lanes;
    this.dialect = dialect;
    this.errors = errors;
  }

  ServerErrors errors() {
    return errors;
  }

  /**
   * Runs statements each of which stands for itself.
   *
   * @param work may be run again after a statement of it that had no effect
   * @throws StoreException UNKNOWN_OUTCOME if the connection was lost
   */
  <T> T call(Limit limit, Session.Work<T> work) {
    while (true) {
      Session session = lanes.take(limit);
      try {
        T answer = work.run(session);
        lanes.giveBack(session);
        return answer;
      } catch (SQLException e) {
        failed(limit, session, e);
      } catch (RuntimeException | Error e) {
        lanes.discard(session);
        throw e;
      }
    }
  }

  private void failed(Limit limit, Session session, SQLException e) {
    Trouble trouble = errors.trouble(e);
    if (trouble == Trouble.BROKEN) {
      end(session);
      throw session.sent() > 0 ? errors.unknown(e) : errors.notApplied(e);
    }
    if (trouble == Trouble.READ_ONLY) {
      end(session);
    } else {
      lanes.giveBack(session);
    }
    pauseIfBusy(limit, trouble, e);
  }

  private void pauseIfBusy(Limit limit, Trouble trouble, SQLException e) {
    boolean passes = trouble == Trouble.BUSY || trouble == Trouble.DUPLICATE;
    if (!passes || limit.hasPassed()) {
      throw errors.notApplied(e);
    }
    limit.pause();
  }

  /**
   * Runs a transaction.
   *
   * @param work may be run again after it was rolled back
   * @throws StoreException UNKNOWN_OUTCOME only if the connection was lost in the commit
   */
  <T> T transact(Limit limit, Session.Work<T> work) {
    while (true) {
      Session session = lanes.take(limit);
      try {
        dialect.begin(session);
        T answer = work.run(session);
        commit(session);
        lanes.giveBack(session);
        return answer;
      } catch (SQLException e) {
        Trouble trouble = errors.trouble(e);
        rollBack(session, trouble);
        pauseIfBusy(limit, trouble, e);
      } catch (RuntimeException | Error e) {
        lanes.discard(session);
        throw e;
      }
    }
  }

  private void commit(Session session) throws SQLException {
    try {
      dialect.commit(session);
    } catch (SQLException e) {
      if (errors.trouble(e) == Trouble.BROKEN) {
        throw errors.unknown(e);
      }
      throw e;
    }
  }

  private void rollBack(Session session, Trouble trouble) {
    if (trouble == Trouble.BROKEN || trouble == Trouble.READ_ONLY) {
      end(session);
      return;
    }
    try {
      dialect.rollBack(session);
      lanes.giveBack(session);
    } catch (SQLException e) {
      // The server rolls back what is left of it.
      lanes.discard(session);
    }
  }

  /**
   * It is of no use any more. A server that may only be read may have been the primary, and the
   * next connection leads to the one that is now.
   */
  private void end(Session session) {
    try {
      dialect.end(session.connection());
    } catch (SQLException e) {
      System.getLogger(ServerDatabase.class.getName())
          .log(System.Logger.Level.DEBUG, "a connection did not end", e);
    }
    lanes.discard(session);
  }

  /** Runs it on a thread that nobody waits for. */
  void inBackground(Runnable work) {
    threads.request(work);
  }

  @Override
  public void close() {
    lanes.close();
    threads.close();
  }
}
