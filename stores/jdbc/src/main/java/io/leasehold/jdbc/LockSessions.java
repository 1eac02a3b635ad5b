package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.jdbc.LockSession.Held;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.EndedIds;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * The connections that have locks, and those that are there to take some. The first few leases of a
 * ttl have a connection each, so that no other is lost with it; more share those. Thread-safe.
 */
final class LockSessions implements AutoCloseable {
  /** How many leases of one ttl have a connection of their own. */
  static final int OWN = 8;

  /** How much longer than the ttl the server keeps a silent connection: beats may be late. */
  static final Duration MARGIN = SessionBeat.BEAT.multipliedBy(2);

  private final SessionLanes lanes;
  private final NamedLocks locks;
  private final ServerErrors errors;
  private final StoreListener listener;
  private final Clock clock;
  private final Threads threads;
  private final Set<LockSession> all = ConcurrentHashMap.newKeySet();
  private final Map<LeaseId, LockSession> byLease = new ConcurrentHashMap<>();

  private final EndedIds ended;
  private final LeftRows left;
  private final SessionBeat beat;
  private volatile boolean closed;

  LockSessions(
      SessionLanes lanes,
      ServerDatabase database,
      Dialect dialect,
      NamedLocks locks,
      StoreListener listener,
      Clock clock,
      Threads threads) {
    this.lanes = lanes;
    this.ended = new EndedIds(clock);
    this.locks = locks;
    this.errors = database.errors();
    this.listener = listener;
    this.clock = clock;
    this.threads = threads;
    this.left = new LeftRows(database);
    this.beat = new SessionBeat(this, left, dialect, locks, errors, listener, clock, threads);
  }

  // ---- connections

  /** Whether an attempt need not wait for a connection to be made. */
  boolean hasIdle(Ticket ticket) {
    return lanes.of(ticket).hasIdle();
  }

  /** A connection for an attempt, in use by the caller. */
  LockSession take(Limit limit, Ticket ticket) {
    List<LockSession> others =
        all.stream()
            .filter(one -> one.idle.equals(SessionLanes.idle(ticket)) && !one.held.isEmpty())
            .toList();
    if (others.size() < OWN) {
      return use(ticket, lanes.of(ticket).take(limit));
    }
    limit.requirePatience();
    LockSession one = others.get(ThreadLocalRandom.current().nextInt(others.size()));
    if (!limit.lock(one.inUse)) {
      throw errors.unavailable("is busy: the connection has not answered in time");
    }
    if (one.isOver()) {
      one.inUse.unlock();
      return use(ticket, lanes.of(ticket).take(limit));
    }
    return one;
  }

  /** One that has no locks, or one for this ticket. */
  LockSession use(Ticket ticket, Session session) {
    LockSession one =
        new LockSession(session, lanes.of(ticket), SessionLanes.idle(ticket), errors, clock);
    one.inUse.lock();
    all.add(one);
    if (closed) {
      lose(one);
      throw new StoreException(Failure.UNAVAILABLE, "the store was closed", null);
    }
    return one;
  }

  /** The caller does not use it any more; no lease does if it has no locks. */
  void leave(LockSession one) {
    if (one.held.isEmpty() && !one.isOver()) {
      all.remove(one);
      one.giveBack();
    }
    one.inUse.unlock();
  }

  /**
   * A request failed that may have taken a lock, or not freed it: frees it, with the whole
   * connection only where nothing else can be done. The caller does not use it any more.
   */
  StoreException failed(Limit limit, LockSession one, Object key, SQLException e) {
    boolean broken = errors.trouble(e) == Trouble.BROKEN;
    abandon(limit, one, key, broken);
    return broken ? errors.unknown(e) : errors.notApplied(e);
  }

  void abandon(Limit limit, LockSession one, Object key, boolean broken) {
    try {
      if (!broken) {
        one.ask(limit, session -> locks.unlock(session, key));
        leave(one);
        return;
      }
    } catch (SQLException e) {
      debug("a lock was not freed", e);
    }
    lose(one);
  }

  /** Ends a connection that the caller uses, and with it its locks. */
  void lose(LockSession one) {
    if (!one.isOver()) {
      one.end();
    }
    all.remove(one);
    List<Held> lost = List.copyOf(one.held.values());
    List<LeaseId> ids = lost.stream().map(Held::id).toList();
    ids.forEach(id -> forget(one, id));
    one.inUse.unlock();
    if (!lost.isEmpty()) {
      ids.forEach(this::end);
      lost.forEach(held -> leftBehind(held.name(), held.id()));
      threads.renewal(() -> listener.lost(ids));
    }
  }

  /** The row of a lease that is over says that it stands, perhaps. */
  private void leftBehind(String name, LeaseId id) {
    left.add(name, id);
    beat.begin();
  }

  private static void debug(String what, SQLException e) {
    Log.debug(what, e);
  }

  // ---- leases

  /** From now on nothing is granted to this id. */
  void end(LeaseId id) {
    ended.add(id);
  }

  boolean hasEnded(LeaseId id) {
    return ended.contains(id);
  }

  Optional<LockSession> of(LeaseId id) {
    return Optional.ofNullable(byLease.get(id));
  }

  /** A lock that the connection has, which the caller uses, is the ticket's. */
  void hold(LockSession one, Ticket ticket, Object key) {
    one.add(ticket, key);
    byLease.put(ticket.id(), one);
    beat.begin();
  }

  boolean haveLeases() {
    return !byLease.isEmpty();
  }

  Stream<LockSession> all() {
    return all.stream();
  }

  void forget(LockSession one, LeaseId id) {
    one.held.remove(id);
    byLease.remove(id);
  }

  /** Unless this lease has its connection alone. */
  void requirePatience(Limit limit, LeaseId id) {
    LockSession one = byLease.get(id);
    if (one != null && one.held.size() > 1) {
      limit.requirePatience();
    }
  }

  /**
   * Frees the ticket's lease and its lock; whether the lease still stood.
   *
   * @param after what is left to do, on the same connection
   */
  boolean free(Limit limit, Ticket ticket, LockSession.Request<Boolean> after) {
    LockSession one = byLease.get(ticket.id());
    if (one == null) {
      return false;
    }
    if (!limit.lock(one.inUse)) {
      throw errors.unavailable("has not answered the last request of this lease's connection");
    }
    Held held = one.held.get(ticket.id());
    if (held == null) {
      one.inUse.unlock();
      return false;
    }
    forget(one, ticket.id());
    boolean known = false;
    try {
      NamedLocks.Row row = one.ask(limit, session -> locks.free(session, ticket, held.key()));
      known = row != NamedLocks.Row.LEFT;
      one.ask(limit, after);
      leave(one);
      return row != NamedLocks.Row.NOT_HELD;
    } catch (SQLException e) {
      throw failed(limit, one, held.key(), e);
    } catch (RuntimeException | Error e) {
      lose(one);
      throw e;
    } finally {
      if (!known) {
        leftBehind(ticket.name(), ticket.id());
      }
    }
  }

  /** Ends what has locks too: nothing else would free them before their time. */
  @Override
  public void close() {
    closed = true;
    lanes.close();
    all.forEach(one -> one.lanes.discard(one.session));
    byLease.clear();
  }
}
