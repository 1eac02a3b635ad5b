package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
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
 * A few connections, which are made when they are needed, or lent by a pool and kept. They are made
 * on threads of the store: that may take longer than a caller has.
 */
final class OwnLanes implements Lanes {
  static final int MOST = 8;

  /** One that was idle for longer is asked whether it is still there. */
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

  /** One that was idle for longer is ended, well before the server does that. */
  private static final long LONGEST_IDLE_NANOS = Duration.ofSeconds(15).toNanos();

  /** How often those that are kept are looked after, and for how long at most. */
  private static final Duration BEAT = Duration.ofSeconds(10);

  /** How long an answer may take, so that there is time left for another connection. */
  private static final Duration ASKING = Duration.ofSeconds(1);

  private record Idle(Session session, long since) {}

  private final LaneSource source;
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

  /** How many of these are being made. */
  private int making;

  /** How often some were given up: then there is room for others. */
  private int discards;

  /** How often it failed to make one, and why it did last. */
  private int failures;

  private @Nullable StoreException failure;
  private boolean closed;

  OwnLanes(
      LaneSource source,
      Dialect dialect,
      ServerErrors errors,
      Clock clock,
      Threads threads,
      int most) {
    this.most = most;
    this.source = source;
    this.dialect = dialect;
    this.errors = errors;
    this.clock = clock;
    this.threads = threads;
    if (source.lends()) {
      threads.schedule(() -> threads.background(this::beat), BEAT.toNanos());
    }
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
      if (isUsable(found, limit)) {
        found.session().begin(dialect.hasNetworkTimeout() ? limit : null);
        return found.session();
      }
      discard(found.session());
    }
  }

  private boolean isUsable(Idle found, Limit limit) {
    long unused = dialect.endsIdle() ? clock.nanos() - found.since() : 0;
    boolean mayBeThere = unused < LONGEST_IDLE_NANOS || source.lends();
    return unused < TRUSTED_NANOS || (mayBeThere && isThere(found.session(), limit));
  }

  /** Asked by a statement, for it ends in time: the drivers' own question counts in seconds. */
  private boolean isThere(Session session, Limit limit) {
    session.begin(dialect.hasNetworkTimeout() ? limit.atMost(ASKING) : null);
    try {
      return !session.query("SELECT 1", Map.of(), row -> row.getInt(1)).isEmpty();
    } catch (SQLException | RuntimeException | Error e) {
      // Whatever it is, it is not used
      return false;
    }
  }

  /**
   * Uses each idle connection before a server or a firewall ends it, and replaces what has ended.
   */
  private void beat() {
    try (Limit limit = new Limit(clock, BEAT)) {
      for (int i = 0; i < most && hasIdle(); i++) {
        Session session = takeIdle(limit).session();
        if (isThere(session, limit)) {
          giveBack(session);
        } else {
          discard(session);
        }
      }
    } catch (StoreException e) {
      Log.debug("not looked after", e);
    }
    threads.schedule(() -> threads.background(this::beat), BEAT.toNanos());
  }

  private Idle takeIdle(Limit limit) {
    lock.lock();
    try {
      int failuresBefore = failures;
      int asked = -1;
      while (true) {
        if (closed) {
          throw new StoreException(Failure.UNAVAILABLE, "the store was closed", null);
        }
        // Those that are kept in turn, so that each is used
        Idle next = source.lends() ? idle.pollFirst() : idle.pollLast();
        if (next != null) {
          return next;
        }
        Optional<StoreException> why =
            failures == failuresBefore ? Optional.empty() : Optional.ofNullable(failure);
        // As long as there are others, one of them will do.
        if (why.isPresent() && count == 0) {
          throw why.get();
        }
        if (asked != discards && count < most) {
          asked = discards;
          askForOne();
        }
        if (!limit.await(changed) && idle.isEmpty()) {
          throw why.orElseGet(() -> nothingInTime());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock. */
  private void askForOne() {
    count++;
    making++;
    threads.background(this::make);
  }

  private StoreException nothingInTime() {
    if (count == most && making == 0) {
      return errors.unavailable("is busy: all " + most + " connections are in use");
    }
    return source.lends()
        ? errors.noneGivenInTime()
        : errors.unavailable("did not let a connection be made in time");
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
    } catch (RuntimeException | Error e) {
      failed = errors.notConnected(new SQLException(e));
    }
    Session unwanted = null;
    lock.lock();
    try {
      making--;
      if (made == null) {
        count--;
        failures++;
        failure = failed;
      } else if (closed) {
        count--;
        unwanted = made;
      } else {
        idle.addLast(new Idle(made, clock.nanos()));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (unwanted != null) {
      end(unwanted);
    }
  }

  @Override
  public void giveBack(Session session) {
    lock.lock();
    try {
      if (!closed) {
        idle.addLast(new Idle(session, clock.nanos()));
        changed.signal();
        return;
      }
      count--;
    } finally {
      lock.unlock();
    }
    end(session);
  }

  /** What ended this one may have ended the others: they go with it, or are asked first. */
  @Override
  public void discard(Session session) {
    List<Session> all = new ArrayList<>(List.of(session));
    lock.lock();
    try {
      List<Idle> others = List.copyOf(idle);
      idle.clear();
      if (source.lends()) {
        long notTrusted = clock.nanos() - TRUSTED_NANOS;
        others.forEach(other -> idle.addLast(new Idle(other.session(), notTrusted)));
      } else {
        others.forEach(other -> all.add(other.session()));
      }
      count -= all.size();
      discards++;
      if (source.lends() && !closed) {
        askForOne();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::end);
  }

  private void end(Session session) {
    try {
      source.end(session, dialect);
    } catch (SQLException e) {
      Log.debug("a connection did not close", e);
    }
  }

  @Override
  public void close() {
    List<Session> all = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      idle.forEach(one -> all.add(one.session()));
      count -= idle.size();
      idle.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(this::end);
  }
}
