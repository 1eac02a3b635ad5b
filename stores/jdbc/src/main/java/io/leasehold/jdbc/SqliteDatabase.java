package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * The clock is read after BEGIN IMMEDIATE, when this process alone may write, and never before. A
 * process that read it first and was then paused would come back with an old "now": a lease that
 * expired meanwhile would look live to its renewal and be revived, and a grant would end before its
 * time. Under the write lock no other client is granted anything between the reading and the
 * commit, however long the pause.
 *
 * A file that was deleted or replaced while it was open goes on living without a name: a client
 * that opens the path gets another, with other leases. So nothing is committed, and no answer
 * believed, unless the path still leads to the file that is open; else the file that is there now
 * is opened and asked. Leases in the file that went are gone, and their holders are told so by
 * their next renewal. It is checked before the commit, not after: writing with an index file that
 * others no longer share would damage the log.
 */

/**
 * A SQLite file: one connection that writes and one that reads, each used by one thread at a time.
 */
final class SqliteDatabase implements AutoCloseable {
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(2);

  /** How long a pause may become of a request that others wait for, between two looks. */
  private static final long URGENT_NANOS = 1_000_000;

  private static final String REPLACED = "was deleted or replaced while in use";
  private final SqliteFile file;
  private final Clock clock;
  private final HostClock hostClock;
  private final StatementHook hook;
  private final SqliteLane writer = new SqliteLane();
  private final SqliteLane reader = new SqliteLane();
  private volatile boolean closed;

  /**
   * Whether a commit failed so that its change might still come back when the log is recovered.
   * Guarded by the writer's lock.
   */
  private boolean doubtful;

  /** Something that may find the file busy. */
  private interface Step<T> {
    T run() throws SQLException;
  }

  SqliteDatabase(SqliteFile file, Clock clock, HostClock hostClock, StatementHook hook) {
    this.file = file;
    this.clock = clock;
    this.hostClock = hostClock;
    this.hook = hook;
  }

  /**
   * Opens the file, and makes it and its tables if they are not there. One that is only busy is
   * opened by the first request, which has the time of its caller.
   */
  void connect() {
    try (Limit limit = new Limit(clock, CONNECT_WITHIN)) {
      read(limit, session -> true);
    } catch (StoreException e) {
      if (e.failure() != Failure.BUSY) {
        throw e;
      }
      Log.debug("not opened yet", e);
    }
  }

  /**
   * Runs a transaction that may change rows; no other does meanwhile.
   *
   * @throws StoreException UNKNOWN_OUTCOME only if the commit failed in a way that leaves it open
   */
  <T> T write(Limit limit, Session.Work<T> work) {
    return inLane(writer, limit, new Patience(limit)::pause, session -> transact(session, work));
  }

  /** The same, for what others wait for or what would be lost: likely before who asks patiently. */
  <T> T writeSoon(Limit limit, Session.Work<T> work) {
    return inLane(
        writer, limit, () -> limit.pause(URGENT_NANOS), session -> transact(session, work));
  }

  /** Runs statements that only read. */
  <T> T read(Limit limit, Session.Work<T> work) {
    return inLane(
        reader,
        limit,
        () -> limit.pause(URGENT_NANOS),
        session -> {
          readClock(session);
          T answer = work.run(session);
          reader.requireCurrent();
          return answer;
        });
  }

  private <T> T inLane(SqliteLane lane, Limit limit, Runnable pause, Session.Work<T> work) {
    while (true) {
      try {
        return locked(lane, limit, pause, work);
      } catch (SqliteLane.ReplacedException e) {
        Log.warn(file.message(REPLACED + "; the leases in it are lost"));
        requireTime(limit, REPLACED, e);
        discardBoth(limit);
      }
    }
  }

  private <T> T locked(SqliteLane lane, Limit limit, Runnable pause, Session.Work<T> work) {
    if (!limit.lock(lane.lock)) {
      throw busy("is busy: other requests of this client are using it", null);
    }
    try {
      if (closed) {
        throw unavailable("was closed by this client", null);
      }
      Session open = lane.session;
      Session session = open == null ? open(lane, limit) : open;
      lane.pause = () -> pausedInTime(limit, pause);
      return onceFree(limit, pause, () -> work.run(session));
    } catch (StoreException | SqliteLane.ReplacedException | Error e) {
      lane.discard();
      throw e;
    } catch (RuntimeException e) {
      lane.discard();
      throw new StoreException(
          Failure.UNKNOWN_OUTCOME, file.message("failed unexpectedly: " + e), e);
    } finally {
      lane.pause = null;
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

  /** What finds the file busy has no effect, and is done again until the others are done. */
  private <T> T onceFree(Limit limit, Runnable pause, Step<T> step) {
    while (true) {
      try {
        return step.run();
      } catch (SQLException e) {
        if (!SqliteErrors.isBusy(e)) {
          throw SqliteErrors.notApplied(file, e);
        }
        if (!pausedInTime(limit, pause)) {
          throw busy(
              "is busy: another client, of this process or of one that may be stopped, has locked"
                  + " it or many use it at once",
              e);
        }
      }
    }
  }

  private static boolean pausedInTime(Limit limit, Runnable pause) {
    boolean inTime = !limit.hasPassed();
    if (inTime) {
      pause.run();
    }
    return inTime;
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
      // The driver gives a prepared statement up that failed once, as this one may.
      session.runUnprepared("ROLLBACK");
    } catch (SQLException e) {
      // SQLite rolls back by itself after some errors; and the connection is discarded after all
      // but one.
      Log.debug("nothing to roll back", e);
    }
  }

  private void readClock(Session session) {
    session.common(Map.of("now", hostClock.nanos(), "epoch", hostClock.epoch()));
  }

  private Session open(SqliteLane lane, Limit limit) {
    file.prepare();
    Object before = file.key();
    Runnable pause = new Patience(limit)::pause;
    Session session = onceFree(limit, pause, () -> lane.connect(file, hook));
    try {
      onceFree(limit, pause, () -> setUp(session));
      if (file.usesDeletedIndex()) {
        throw unavailable(REPLACED + " by another client in this process; close that", null);
      }
    } catch (RuntimeException e) {
      SqliteLane.close(session);
      throw e;
    }
    lane.session = session;
    // If it was replaced while it was opened, the store cannot know which one this is.
    lane.identity = file.key().equals(before) ? file.identity() : SqliteFile.Identity.NONE;
    return session;
  }

  private boolean setUp(Session session) throws SQLException {
    try {
      new SqliteSchema(file, clock).setUp(session);
      return true;
    } catch (SQLException e) {
      rollBack(session);
      throw e;
    }
  }

  private StoreException busy(String what, @Nullable Throwable cause) {
    return new StoreException(Failure.BUSY, file.message(what), cause);
  }

  private StoreException unavailable(String what, @Nullable Throwable cause) {
    return new StoreException(Failure.UNAVAILABLE, file.message(what), cause);
  }

  @Override
  public void close() {
    closed = true;
    for (SqliteLane lane : List.of(reader, writer)) {
      try (Limit limit = new Limit(clock, CLOSE_WITHIN)) {
        // A request that is still using it discards it afterwards.
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
