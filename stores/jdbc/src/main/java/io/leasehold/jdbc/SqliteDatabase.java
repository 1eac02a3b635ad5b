package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * The clock is read after BEGIN IMMEDIATE, when this process alone may write, and never before. A
 * process that read it first and was then paused would come back with an old "now": a lease that
 * expired meanwhile would look live to its renewal and be revived, and a grant would end before its
 * time. Under the write lock nobody is granted anything between the reading and the commit, however
 * long the pause.
 *
 * A file that was deleted or replaced while it was open goes on living without a name: whoever opens
 * the path gets another, with other leases. So nothing is committed, and no answer believed, unless
 * the path still leads to the file that is open; else the file that is there now is opened and
 * asked. Leases in the file that went are gone, and their holders are told so by their next renewal.
 * It is checked before the commit, not after: writing with an index file that others no longer
 * share would damage the log.
 */

/**
 * A SQLite file: one connection that writes and one that reads, each used by one thread at a time.
 */
final class SqliteDatabase implements AutoCloseable {
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(2);
  private static final String REPLACED = "was deleted or replaced while in use";
  private static final System.Logger LOG = System.getLogger(SqliteDatabase.class.getName());

  private final SqliteFile file;
  private final Clock clock;
  private final HostClock hostClock;
  private final StatementHook hook;
  private final Lane writer = new Lane();
  private final Lane reader = new Lane();
  private volatile boolean closed;

  /**
   * Whether a commit failed so that its change might still come back when the log is recovered.
   * Guarded by the writer's lock.
   */
  private boolean doubtful;

  SqliteDatabase(SqliteFile file, Clock clock, HostClock hostClock, StatementHook hook) {
    this.file = file;
    this.clock = clock;
    this.hostClock = hostClock;
    this.hook = hook;
  }

  /** A connection and who may use it. */
  private static final class Lane {
    final ReentrantLock lock = new ReentrantLock();
    @Nullable Session session;
    SqliteFile.Identity identity = SqliteFile.Identity.NONE;

    void requireCurrent() {
      if (!identity.isCurrent()) {
        throw new ReplacedException();
      }
    }

    void discard() {
      Session old = session;
      session = null;
      if (old != null) {
        try {
          old.close();
        } catch (SQLException e) {
          LOG.log(System.Logger.Level.DEBUG, "closing a connection failed", e);
        }
      }
    }
  }

  /**
   * The path leads to another file than the connection: whatever was done there counts for nothing.
   */
  private static final class ReplacedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Opens the file, and makes it and its tables if they are not there. */
  void connect() {
    try (Limit limit = new Limit(clock, CONNECT_WITHIN)) {
      read(limit, session -> true);
    }
  }

  /**
   * Runs a transaction that may change rows; no other does meanwhile.
   *
   * @throws StoreException UNKNOWN_OUTCOME only if the commit failed in a way that leaves it open
   */
  <T> T write(Limit limit, Session.Work<T> work) {
    return inLane(writer, limit, session -> transact(session, work));
  }

  /** Runs statements that only read. */
  <T> T read(Limit limit, Session.Work<T> work) {
    return inLane(
        reader,
        limit,
        session -> {
          readClock(session);
          T answer = work.run(session);
          reader.requireCurrent();
          return answer;
        });
  }

  private <T> T inLane(Lane lane, Limit limit, Session.Work<T> work) {
    while (true) {
      try {
        return locked(lane, limit, work);
      } catch (ReplacedException e) {
        LOG.log(
            System.Logger.Level.WARNING, file.message(REPLACED + "; the leases in it are lost"));
        requireTime(limit, REPLACED, e);
        discardBoth(limit);
      }
    }
  }

  private <T> T locked(Lane lane, Limit limit, Session.Work<T> work) {
    if (!limit.lock(lane.lock)) {
      throw unavailable("is busy: another thread of this process is using it", null);
    }
    try {
      while (true) {
        try {
          return work.run(session(lane));
        } catch (SQLException e) {
          // To find it busy has no effect; so it is tried again until the other writer is done.
          requireBusy(limit, e);
          limit.pause();
        }
      }
    } catch (StoreException | ReplacedException | Error e) {
      lane.discard();
      throw e;
    } catch (RuntimeException e) {
      lane.discard();
      throw new StoreException(
          Failure.UNKNOWN_OUTCOME, file.message("failed unexpectedly: " + e), e);
    } finally {
      if (closed) {
        lane.discard();
      }
      lane.lock.unlock();
    }
  }

  /** All at once: SQLite's connections to one file share its index while one of them is open. */
  private void discardBoth(Limit limit) {
    if (limit.lock(writer.lock)) {
      try {
        if (limit.lock(reader.lock)) {
          try {
            writer.discard();
            reader.discard();
          } finally {
            reader.lock.unlock();
          }
        }
      } finally {
        writer.lock.unlock();
      }
    }
  }

  private void requireBusy(Limit limit, SQLException e) {
    if (!SqliteErrors.isBusy(e)) {
      throw SqliteErrors.notApplied(file, e);
    }
    requireTime(limit, "is locked by another process, which may be stopped", e);
  }

  private void requireTime(Limit limit, String otherwise, Exception cause) {
    if (limit.hasPassed()) {
      throw unavailable(otherwise, cause);
    }
  }

  private <T> T transact(Session session, Session.Work<T> work) throws SQLException {
    session.run("BEGIN IMMEDIATE");
    T result;
    try {
      readClock(session);
      if (doubtful) {
        // A change that is written takes the place in the log of the one whose commit failed.
        session.run("UPDATE leasehold_meta SET floor = floor");
      }
      result = work.run(session);
      writer.requireCurrent();
    } catch (SQLException e) {
      rollBack(session);
      throw e;
    }
    commit(session);
    doubtful = false;
    return result;
  }

  private void commit(Session session) throws SQLException {
    try {
      session.run("COMMIT");
    } catch (SQLException e) {
      rollBack(session);
      if (SqliteErrors.leavesCommitOpen(e)) {
        doubtful = true;
        throw SqliteErrors.unknown(file, e);
      }
      throw e;
    }
  }

  private static void rollBack(Session session) {
    try {
      session.run("ROLLBACK");
    } catch (SQLException e) {
      // SQLite rolls back by itself after some errors; and the connection is discarded after all
      // but one.
      LOG.log(System.Logger.Level.DEBUG, "nothing to roll back", e);
    }
  }

  private void readClock(Session session) {
    session.common(Map.of("now", hostClock.nanos(), "epoch", hostClock.epoch()));
  }

  private Session session(Lane lane) throws SQLException {
    if (closed) {
      throw unavailable("was closed by this client", null);
    }
    Session session = lane.session;
    if (session == null) {
      session = open(lane);
    }
    return session;
  }

  private Session open(Lane lane) throws SQLException {
    file.prepare();
    Object before = file.key();
    Properties settings = new Properties();
    // Read and write, the name is a URI; never create: that is done with the right permissions. No
    // waiting inside SQLite.
    settings.setProperty("open_mode", Integer.toString(0x2 | 0x40));
    settings.setProperty("busy_timeout", "0");
    Connection connection = Drivers.connect("org.sqlite.JDBC", file.url(), settings);
    Session session = new Session(connection, hook);
    try {
      hook.opened(connection);
      new SqliteSchema(file, clock).setUp(session);
      if (file.usesDeletedIndex()) {
        throw unavailable(REPLACED + " by another client in this process; close that", null);
      }
    } catch (SQLException | RuntimeException e) {
      session.close();
      throw e;
    }
    lane.session = session;
    // If it was replaced while it was opened, nobody knows which one this is.
    lane.identity = file.key().equals(before) ? file.identity() : SqliteFile.Identity.NONE;
    return session;
  }

  private StoreException unavailable(String what, @Nullable Throwable cause) {
    return new StoreException(Failure.UNAVAILABLE, file.message(what), cause);
  }

  @Override
  public void close() {
    closed = true;
    for (Lane lane : List.of(reader, writer)) {
      try (Limit limit = new Limit(clock, CLOSE_WITHIN)) {
        // Whoever is still using it discards it afterwards.
        if (limit.lock(lane.lock)) {
          try {
            lane.discard();
          } finally {
            lane.lock.unlock();
          }
        }
      }
    }
  }
}
