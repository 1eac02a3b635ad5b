package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.jdbc.LockSession.Held;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/*
 * A connection is kept alive by our beat and not by renewals, so the row's life is what ends a
 * lease that its client does not renew: the beat sees that, as it sees that an operator broke it,
 * and frees the lock.
 */

/** Uses each connection that has locks once a second, as long as there are any. Thread-safe. */
final class SessionBeat {
  /** How often each connection is used: so soon a loss is noticed. */
  static final Duration BEAT = Duration.ofSeconds(1);

  private final LockSessions sessions;
  private final LeftRows left;
  private final Dialect dialect;
  private final NamedLocks locks;
  private final ServerErrors errors;
  private final StoreListener listener;
  private final Clock clock;
  private final Threads threads;
  private final AtomicBoolean beating = new AtomicBoolean();

  SessionBeat(
      LockSessions sessions,
      LeftRows left,
      Dialect dialect,
      NamedLocks locks,
      ServerErrors errors,
      StoreListener listener,
      Clock clock,
      Threads threads) {
    this.sessions = sessions;
    this.left = left;
    this.dialect = dialect;
    this.locks = locks;
    this.errors = errors;
    this.listener = listener;
    this.clock = clock;
    this.threads = threads;
  }

  /** There is a lease, or a row that was left. */
  void begin() {
    if (beating.compareAndSet(false, true)) {
      schedule();
    }
  }

  private void schedule() {
    threads.schedule(this::beat, BEAT.toNanos());
  }

  private void beat() {
    if (isIdle()) {
      beating.set(false);
      if (isIdle() || !beating.compareAndSet(false, true)) {
        return;
      }
    }
    sessions
        .all()
        .filter(one -> one.beats.compareAndSet(false, true))
        .forEach(one -> threads.renewal(() -> beat(one)));
    if (!left.isEmpty()) {
      threads.renewal(this::freeLeft);
    }
    schedule();
  }

  private boolean isIdle() {
    return !sessions.haveLeases() && left.isEmpty();
  }

  private void freeLeft() {
    try (Limit limit = new Limit(clock, BEAT)) {
      left.free(limit);
    } catch (StoreException e) {
      debug("rows of leases that are over are left for the next time", e);
    }
  }

  private void beat(LockSession one) {
    List<Held> over;
    one.beats.set(false);
    try (Limit limit = new Limit(clock, BEAT)) {
      if (!limit.lock(one.inUse)) {
        return;
      }
      over = one.held.isEmpty() ? List.of() : one.ask(limit, session -> freed(one, session));
      over.forEach(held -> sessions.forget(one, held.id()));
    } catch (SQLException e) {
      debug("a connection that has locks failed", e);
      if (errors.trouble(e) == Trouble.BROKEN) {
        sessions.lose(one);
        return;
      }
      over = List.of();
    }
    sessions.leave(one);
    if (!over.isEmpty()) {
      listener.lost(over.stream().map(Held::id).toList());
    }
  }

  /** Frees the locks of leases that do not stand any more. */
  private List<Held> freed(LockSession one, Session session) throws SQLException {
    List<Held> asked = List.copyOf(one.held.values());
    Set<String> standing = RenewalTable.standing(session, asked.stream().map(Held::name).toList());
    List<Held> over =
        asked.stream().filter(held -> !standing.contains(held.id().toString())).toList();
    for (Held held : over) {
      locks.unlock(session, held.key());
      dialect.tell(session, held.name());
    }
    return over;
  }

  private static void debug(String what, Exception e) {
    Log.debug(what, e);
  }
}
