package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;

/** Runs statements on a database server, in bounded time. Thread-safe. */
final class ServerDatabase implements AutoCloseable {
  /** Others have a row locked, and kept it for longer than a moment: nothing was done. */
  static final class RowLocked extends RuntimeException {
    private static final long serialVersionUID = 1;

    RowLocked() {
      super(null, null, false, false);
    }
  }

  /** Rows that are locked are waited for until the time is over. */
  private static final long PATIENT = Long.MIN_VALUE;

  private static final long LOCK_WAIT = Dialect.LOCK_WAIT.toNanos();

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
    return call(limit, PATIENT, work);
  }

  /**
   * The same, without waiting for who keeps a row locked for longer than a moment.
   *
   * @throws RowLocked if it is
   */
  <T> T callUnlessLocked(Limit limit, Session.Work<T> work) {
    return call(limit, afterAMoment(limit), work);
  }

  /**
   * The same.
   *
   * @param leftIfLocked once there is no more time left than this, rows that are locked are not
   *     waited for
   */
  private <T> T call(Limit limit, long leftIfLocked, Session.Work<T> work) {
    while (true) {
      Session session = lanes.take(limit);
      try {
        T answer = work.run(session);
        lanes.giveBack(session);
        return answer;
      } catch (SQLException e) {
        failed(limit, leftIfLocked, session, e);
      } catch (RuntimeException | Error e) {
        lanes.discard(session);
        throw e;
      }
    }
  }

  private void failed(Limit limit, long leftIfLocked, Session session, SQLException e) {
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
    pauseIfBusy(limit, leftIfLocked, trouble, e);
  }

  private void pauseIfBusy(Limit limit, long leftIfLocked, Trouble trouble, SQLException e) {
    boolean isLocked = trouble == Trouble.LOCKED;
    if (isLocked && limit.left() <= leftIfLocked) {
      throw new RowLocked();
    }
    boolean passes = isLocked || trouble == Trouble.BUSY || trouble == Trouble.DUPLICATE;
    if (!passes || limit.left() <= (isLocked ? shortestWait() : 0)) {
      throw errors.notApplied(e);
    }
    limit.pause();
  }

  private long afterAMoment(Limit limit) {
    return Math.max(shortestWait(), limit.left() - LOCK_WAIT);
  }

  /** What waits for a row until its time is over takes its connection with it. */
  private long shortestWait() {
    return dialect.hasNetworkTimeout() ? 2 * LOCK_WAIT : 0;
  }

  /**
   * Runs a transaction.
   *
   * @param work may be run again after it was rolled back
   * @throws StoreException UNKNOWN_OUTCOME only if the connection was lost in the commit
   */
  <T> T transact(Limit limit, Session.Work<T> work) {
    return transact(limit, PATIENT, work);
  }

  /**
   * The same, without waiting for who keeps a row locked for longer than a moment.
   *
   * @throws RowLocked if it is
   */
  <T> T transactUnlessLocked(Limit limit, Session.Work<T> work) {
    return transact(limit, afterAMoment(limit), work);
  }

  private <T> T transact(Limit limit, long leftIfLocked, Session.Work<T> work) {
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
        pauseIfBusy(limit, leftIfLocked, trouble, e);
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
      Log.debug("a connection did not end", e);
    }
    lanes.discard(session);
  }

  /** Runs it on a thread that no caller waits for. */
  void inBackground(Runnable work) {
    threads.background(work);
  }

  @Override
  public void close() {
    lanes.close();
    threads.close();
  }
}
