package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.internal.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A few connections of the store's own, made when they are needed. They are made on threads of the
 * store: that may take longer than a caller has.
 */
final class OwnLanes implements Lanes {
  static final int MOST = 8;

  /** One that was idle for longer is asked whether it is still there. */
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

  /** One that was idle for longer is ended, well before the server does that. */
  private static final long LONGEST_IDLE_NANOS = Duration.ofSeconds(15).toNanos();

  /** Opens a connection, in bounded time. */
  @FunctionalInterface
  interface Source {
    Session open() throws SQLException;

    /** Opens one that is there to listen. */
    default Session openListening() throws SQLException {
      return open();
    }
  }

  private record Idle(Session session, long since) {}

  private final Source source;
  private final Dialect dialect;
  private final ServerErrors errors;
  private final Clock clock;
  private final Threads threads;
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Idle> idle = new ArrayDeque<>();

  /** How many there are, idle, in use and being made. */
  private int count;

  /** How often some were given up: then there is room for others. */
  private int discards;

  /** How often it failed to make one, and why it did last. */
  private int failures;

  private @Nullable StoreException failure;
  private boolean closed;

  OwnLanes(Source source, Dialect dialect, ServerErrors errors, Clock clock, Threads threads) {
    this(source, dialect, errors, clock, threads, MOST);
  }

  OwnLanes(
      Source source, Dialect dialect, ServerErrors errors, Clock clock, Threads threads, int most) {
    this.most = most;
    this.source = source;
    this.dialect = dialect;
    this.errors = errors;
    this.clock = clock;
    this.threads = threads;
  }

  /** Takes in one that was made elsewhere. */
  void add(Session session) {
    lock.lock();
    try {
      count++;
      idle.addLast(new Idle(session, clock.nanos()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether one is there, so that none has to be made. */
  boolean hasIdle() {
    lock.lock();
    try {
      return !idle.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Session take(Limit limit) {
    while (true) {
      Idle found = takeIdle(limit);
      long unused = dialect.endsIdle() ? clock.nanos() - found.since() : 0;
      if (unused < TRUSTED_NANOS
          || (unused < LONGEST_IDLE_NANOS && isThere(found.session(), limit))) {
        found.session().begin(dialect.hasNetworkTimeout() ? limit : null);
        return found.session();
      }
      discard(found.session());
    }
  }

  /** Asked by a statement, for it ends in time: the drivers' own question counts in seconds. */
  private static boolean isThere(Session session, Limit limit) {
    session.begin(limit);
    try {
      return !session.query("SELECT 1", Map.of(), row -> row.getInt(1)).isEmpty();
    } catch (SQLException e) {
      return false;
    }
  }

  private Idle takeIdle(Limit limit) {
    lock.lock();
    try {
      int failuresBefore = failures;
      int asked = -1;
      while (true) {
        requireOpen();
        Idle last = idle.pollLast();
        if (last != null) {
          return last;
        }
        Optional<StoreException> why =
            failures == failuresBefore ? Optional.empty() : Optional.ofNullable(failure);
        // As long as there are others, one of them will do.
        if (why.isPresent() && count == 0) {
          throw why.get();
        }
        if (asked != discards && count < most) {
          asked = discards;
          count++;
          threads.request(this::make);
        }
        if (!limit.await(changed) && idle.isEmpty()) {
          throw why.orElseGet(() -> nothingInTime());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private StoreException nothingInTime() {
    return errors.unavailable(
        count == most
            ? "is busy: all " + most + " connections are in use"
            : "did not let a connection be made in time");
  }

  private void requireOpen() {
    if (closed) {
      throw new StoreException(Failure.UNAVAILABLE, "the store was closed", null);
    }
  }

  private void make() {
    Session made = null;
    StoreException failed = null;
    try {
      made = source.open();
    } catch (SQLException e) {
      failed = errors.notConnected(e);
    } catch (StoreException e) {
      failed = e;
    } catch (RuntimeException e) {
      failed = errors.notConnected(new SQLException(e));
    }
    lock.lock();
    try {
      if (made == null) {
        count--;
        failures++;
        failure = failed;
      } else if (closed) {
        end(made);
      } else {
        idle.addLast(new Idle(made, clock.nanos()));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void giveBack(Session session) {
    lock.lock();
    try {
      if (closed) {
        count--;
        end(session);
      } else {
        idle.addLast(new Idle(session, clock.nanos()));
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whatever ended this one may have ended the others: those that are idle go with it. */
  @Override
  public void discard(Session session) {
    List<Session> all = new ArrayList<>();
    all.add(session);
    lock.lock();
    try {
      idle.forEach(other -> all.add(other.session()));
      idle.clear();
      count -= all.size();
      discards++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::end);
  }

  private void end(Session session) {
    try {
      dialect.end(session.connection());
    } catch (SQLException e) {
      System.getLogger(OwnLanes.class.getName())
          .log(System.Logger.Level.DEBUG, "a connection did not close", e);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      idle.forEach(one -> end(one.session()));
      count -= idle.size();
      idle.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
