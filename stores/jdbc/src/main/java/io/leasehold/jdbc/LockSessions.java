package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.internal.Threads;
import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.jdbc.LockSession.Held;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/*
 * A connection is kept alive by our beat and not by renewals, so the row's life is what ends a lease that nobody
 * renews: the beat sees that, as it sees that an operator broke it, and frees the lock. The first few leases of a
 * ttl have a connection each, so that no other is lost with it; more share those.
 */

/** The connections that have locks, and those that are there to take some. Thread-safe. */
final class LockSessions implements AutoCloseable {
  /** How many leases of one ttl have a connection of their own. */
  static final int OWN = 8;

  /** How often each connection is used: so soon a loss is noticed. */
  static final Duration BEAT = Duration.ofSeconds(1);

  /** How much longer than the ttl the server keeps a silent connection: beats may be late. */
  static final Duration MARGIN = BEAT.multipliedBy(2);

  private static final int CHUNK = 1024;

  private static final String STANDING =
      "SELECT lease_id FROM {lock} WHERE name IN (:names) AND expires > {now}";

  private final SessionLanes lanes;
  private final Dialect dialect;
  private final NamedLocks locks;
  private final ServerErrors errors;
  private final StoreListener listener;
  private final Clock clock;
  private final Threads threads;
  private final Set<LockSession> all = ConcurrentHashMap.newKeySet();
  private final Map<LeaseId, LockSession> byLease = new ConcurrentHashMap<>();

  private final EndedIds ended;
  private final AtomicBoolean beating = new AtomicBoolean();
  private volatile boolean closed;

  LockSessions(
      SessionLanes lanes,
      Dialect dialect,
      NamedLocks locks,
      ServerErrors errors,
      StoreListener listener,
      Clock clock,
      Threads threads) {
    this.lanes = lanes;
    this.ended = new EndedIds(clock);
    this.dialect = dialect;
    this.locks = locks;
    this.errors = errors;
    this.listener = listener;
    this.clock = clock;
    this.threads = threads;
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

  /** The caller does not use it any more; nobody does if it has no locks. */
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
        one.ask(limit, session -> unlocked(session, key));
        leave(one);
        return;
      }
    } catch (SQLException e) {
      debug("a lock was not freed", e);
    }
    lose(one);
  }

  boolean unlocked(Session session, Object key) throws SQLException {
    locks.unlock(session, key);
    return true;
  }

  /** Ends a connection that the caller uses, and with it its locks. */
  private void lose(LockSession one) {
    if (!one.isOver()) {
      one.end();
    }
    all.remove(one);
    List<LeaseId> lost = List.copyOf(one.held.keySet());
    lost.forEach(id -> forget(one, id));
    one.inUse.unlock();
    if (!lost.isEmpty()) {
      lost.forEach(this::end);
      threads.renewal(() -> listener.lost(lost));
    }
  }

  private static void debug(String what, SQLException e) {
    System.getLogger(LockSessions.class.getName()).log(System.Logger.Level.DEBUG, what, e);
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
    if (beating.compareAndSet(false, true)) {
      scheduleBeat();
    }
  }

  private void forget(LockSession one, LeaseId id) {
    one.held.remove(id);
    byLease.remove(id);
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
    try {
      boolean freed = one.ask(limit, session -> locks.free(session, ticket, held.key()));
      one.ask(limit, after);
      leave(one);
      return freed;
    } catch (SQLException e) {
      throw failed(limit, one, held.key(), e);
    } catch (RuntimeException | Error e) {
      lose(one);
      throw e;
    }
  }

  // ---- the beat

  private void scheduleBeat() {
    threads.schedule(this::beat, BEAT.toNanos());
  }

  private void beat() {
    if (byLease.isEmpty()) {
      beating.set(false);
      if (byLease.isEmpty() || !beating.compareAndSet(false, true)) {
        return;
      }
    }
    all.stream()
        .filter(one -> one.beats.compareAndSet(false, true))
        .forEach(one -> threads.renewal(() -> beat(one)));
    scheduleBeat();
  }

  private void beat(LockSession one) {
    List<Held> over;
    one.beats.set(false);
    try (Limit limit = new Limit(clock, BEAT)) {
      if (!limit.lock(one.inUse)) {
        return;
      }
      over = one.held.isEmpty() ? List.of() : one.ask(limit, session -> freed(one, session));
      over.forEach(held -> forget(one, held.id()));
    } catch (SQLException e) {
      debug("a connection that has locks failed", e);
      if (errors.trouble(e) == Trouble.BROKEN) {
        lose(one);
        return;
      }
      over = List.of();
    }
    leave(one);
    if (!over.isEmpty()) {
      listener.lost(over.stream().map(Held::id).toList());
    }
  }

  /** Frees the locks of leases that do not stand any more. */
  private List<Held> freed(LockSession one, Session session) throws SQLException {
    List<Held> asked = List.copyOf(one.held.values());
    Set<String> standing = new HashSet<>();
    for (int from = 0; from < asked.size(); from += CHUNK) {
      List<Held> chunk = asked.subList(from, Math.min(asked.size(), from + CHUNK));
      Map<String, ?> names = Map.of("names", chunk.stream().map(Held::name).toList());
      standing.addAll(session.query(STANDING, names, row -> row.getString(1)));
    }
    List<Held> over =
        asked.stream().filter(held -> !standing.contains(held.id().toString())).toList();
    for (Held held : over) {
      locks.unlock(session, held.key());
      dialect.tell(session, held.name());
    }
    return over;
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
