package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Threads;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/*
 * The server's lock decides who is next, the row says who it is: number, lease id, and until when it stands
 * without renewal. A row that stands although the lock was free is that of a session that ended.
 */

/** The verbs where the server's own locks exclude. */
final class SessionVerbs implements Verbs {
  /** Ends what a dead session left in the row. */
  private static final String CLEAR =
      "UPDATE {lock} SET expires = 0, others_until = 0 WHERE name = :name AND lease_id <> :id";

  private static final int ROUNDS = 4;

  private final ServerVerbs rows;
  private final ServerDatabase database;
  private final Dialect dialect;
  private final NamedLocks locks;
  private final String scope;
  private final LockSessions sessions;
  private final Optional<NamedLockQueue> queue;
  private final SessionRenewing renewing;
  private final Threads calls;

  /**
   * On a server.
   *
   * @param rows the verbs on the same tables
   * @param queue empty if the server has none that can be left
   * @param calls on which the verbs run; ended with them
   */
  SessionVerbs(
      ServerVerbs rows,
      ServerDatabase database,
      Dialect dialect,
      NamedLocks locks,
      String scope,
      LockSessions sessions,
      Optional<NamedLockQueue> queue,
      Threads calls) {
    this.rows = rows;
    this.database = database;
    this.dialect = dialect;
    this.locks = locks;
    this.scope = scope;
    this.sessions = sessions;
    this.queue = queue;
    this.calls = calls;
    this.renewing = new SessionRenewing(rows, database, locks, scope, sessions, queue);
  }

  // ---- attempt

  @Override
  public Attempt attempt(Limit limit, Ticket ticket) {
    if (ticket.mode() != LockMode.EXCLUSIVE) {
      throw database
          .errors()
          .refused("serves exclusive locks only with mode=session; use mode=lease", null);
    }
    if (sessions.hasEnded(ticket.id())) {
      return usedUp();
    }
    Optional<LockSession> held = sessions.of(ticket.id());
    return held.isPresent() ? repeated(limit, ticket, held.get()) : attemptAnew(limit, ticket);
  }

  private static Attempt usedUp() {
    return new Attempt.Busy(Duration.ZERO, "");
  }

  private Attempt repeated(Limit limit, Ticket ticket, LockSession held) {
    Optional<Row> row = database.call(limit, session -> LeaseTable.row(session, ticket));
    return row.filter(found -> isOf(found, ticket))
        .map(found -> repeated(ticket, found, held))
        .orElseGet(SessionVerbs::usedUp);
  }

  private Attempt repeated(Ticket ticket, Row row, LockSession held) {
    long remaining = Math.min(row.remaining(), LeaseTable.micros(held.left()));
    return Admission.repeated(ticket, row.fence(), remaining, row.wanted() > 0);
  }

  private static boolean isOf(Row row, Ticket ticket) {
    return row.leaseId().equals(ticket.id().toString());
  }

  private Attempt attemptAnew(Limit limit, Ticket ticket) {
    Optional<Session> claimed = queue.flatMap(waits -> waits.claim(ticket));
    if (claimed.isEmpty() && !sessions.hasIdle(ticket) && isTaken(limit, ticket)) {
      return busy(limit, ticket);
    }
    LockSession one =
        claimed
            .map(session -> sessions.use(ticket, session))
            .orElseGet(() -> sessions.take(limit, ticket));
    Optional<Attempt> grant;
    try {
      boolean isFree = claimed.isPresent() || tryLock(limit, ticket, one);
      grant = isFree ? grant(limit, ticket, one) : Optional.empty();
    } catch (SQLException e) {
      throw sessions.failed(limit, one, key(ticket), e);
    } catch (RuntimeException | Error e) {
      sessions.abandon(limit, one, key(ticket), false);
      throw e;
    }
    sessions.leave(one);
    return grant.isPresent() ? confirmed(limit, ticket, grant.get()) : busy(limit, ticket);
  }

  /** Who only finds it taken need not wait for a connection that could have taken it. */
  private boolean isTaken(Limit limit, Ticket ticket) {
    List<Object> keys = List.of(key(ticket));
    return !database.call(limit, session -> locks.taken(session, keys)).isEmpty();
  }

  /** Whoever asks again on the same connection would have it twice. */
  private boolean tryLock(Limit limit, Ticket ticket, LockSession one) throws SQLException {
    Object key = key(ticket);
    return !one.has(key) && one.ask(limit, session -> locks.tryLock(session, key));
  }

  private Attempt busy(Limit limit, Ticket ticket) {
    Optional<Row> row =
        database.call(
            limit,
            session -> {
              rows.joinIfDue(session, ticket);
              return LeaseTable.row(session, ticket);
            });
    return row.filter(found -> found.remaining() > 0)
        .<Attempt>map(
            found -> new Attempt.Busy(LeaseTable.duration(found.remaining()), found.holder()))
        .orElseGet(SessionVerbs::usedUp);
  }

  /** The lock is ours: the lease is the ticket's, unless its id is used up. */
  private Optional<Attempt> grant(Limit limit, Ticket ticket, LockSession one) throws SQLException {
    Optional<Attempt> grant = one.ask(limit, session -> grant(limit, ticket, one, session));
    if (grant.isPresent()) {
      sessions.hold(one, ticket, key(ticket));
      rows.places().granted(ticket);
    } else {
      one.ask(limit, session -> sessions.unlocked(session, key(ticket)));
    }
    return grant;
  }

  /** It may have been withdrawn meanwhile, by somebody who did not find it. */
  private Attempt confirmed(Limit limit, Ticket ticket, Attempt grant) {
    if (!sessions.hasEnded(ticket.id())) {
      return grant;
    }
    sessions.free(limit, ticket, session -> leaveQueue(session, ticket));
    return usedUp();
  }

  private Optional<Attempt> grant(Limit limit, Ticket ticket, LockSession one, Session session)
      throws SQLException {
    for (int round = 0; round < ROUNDS; round++) {
      Optional<Dialect.Taken> taken = dialect.take(session, ticket);
      if (taken.isPresent()) {
        return Optional.of(
            new Attempt.Granted(taken.get().number(), ticket.ttl(), taken.get().wanted()));
      }
      Optional<Row> row = LeaseTable.row(session, ticket);
      if (row.isEmpty()) {
        database.transact(limit, other -> rows.lockedRow(other, ticket));
      } else if (isOf(row.get(), ticket)) {
        // Its answer was lost with its connection: nobody else had the lock since.
        return row.filter(found -> found.remaining() > 0)
            .map(found -> repeated(ticket, found, one));
      } else {
        session.update(CLEAR, LeaseTable.values(ticket));
      }
    }
    throw new SQLException("the row of a name whose lock is ours changes all the time", "40001");
  }

  // ---- the rest

  /** An attempt can only come by way of us, so the end of an id is final. */
  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    sessions.end(ticket.id());
    free(limit, ticket);
    if (rows.places().mayHaveRow(ticket)) {
      database.call(limit, session -> leaveQueue(session, ticket));
    }
    return true;
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    return sessions.free(limit, ticket, session -> leaveQueue(session, ticket));
  }

  private boolean leaveQueue(Session session, Ticket ticket) throws SQLException {
    // Forgotten first: an attempt that writes its row from now on removes it again.
    return rows.places().forget(ticket) && QueueTable.leave(session, ticket);
  }

  @Override
  public void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    renewing.renew(limit, tickets, each);
  }

  private Object key(Ticket ticket) {
    return locks.key(scope, ticket.name());
  }

  @Override
  public List<LockSnapshot> list(Limit limit, Optional<String> name) {
    return rows.list(limit, name);
  }

  /** Its holder's next beat sees it, and frees the lock. */
  @Override
  public boolean breakLease(Limit limit, String name, long number) {
    return rows.breakLease(limit, name, number);
  }

  @Override
  public List<Finding> diagnose(Limit limit) {
    List<Finding> found = new ArrayList<>(rows.diagnose(limit));
    found.add(database.call(limit, locks::diagnose));
    return found;
  }

  @Override
  public void sweep() {
    rows.sweep();
  }

  @Override
  public void close() {
    sessions.close();
    rows.close();
    calls.close();
  }
}
