package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The verbs where the server's own locks exclude. */
final class SessionVerbs implements Verbs {
  private final ServerVerbs rows;
  private final ServerDatabase database;
  private final NamedLocks locks;
  private final LockSessions sessions;
  private final SessionGrants grants;
  private final SessionRenewing renewing;
  private final Threads patient;

  /**
   * On a server.
   *
   * @param rows the verbs on the same tables
   * @param queue empty if the server has none that can be left
   * @param patient ended with them
   */
  SessionVerbs(
      ServerVerbs rows,
      ServerDatabase database,
      NamedLocks locks,
      LockSessions sessions,
      SessionGrants grants,
      Optional<NamedLockQueue> queue,
      Threads patient) {
    this.rows = rows;
    this.database = database;
    this.locks = locks;
    this.sessions = sessions;
    this.grants = grants;
    this.patient = patient;
    this.renewing = new SessionRenewing(rows, database, locks, grants, sessions, queue);
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
    return row.filter(found -> SessionGrants.isOf(found, ticket))
        .map(found -> SessionGrants.repeated(ticket, found, held))
        .orElseGet(SessionVerbs::usedUp);
  }

  private Attempt attemptAnew(Limit limit, Ticket ticket) {
    if (!sessions.hasIdle(ticket) && isTaken(limit, ticket)) {
      return busy(limit, ticket);
    }
    Optional<Attempt.Granted> grant = grants.attempt(limit, ticket, sessions.take(limit, ticket));
    if (grant.isPresent()) {
      grants.leaveQueueSoon(ticket);
      return grant.get();
    }
    return sessions.hasEnded(ticket.id()) ? usedUp() : busy(limit, ticket);
  }

  /** Who only finds it taken need not wait for a connection that could have taken it. */
  private boolean isTaken(Limit limit, Ticket ticket) {
    List<Object> keys = List.of(grants.key(ticket));
    return !database.call(limit, session -> locks.taken(session, keys)).isEmpty();
  }

  private Attempt busy(Limit limit, Ticket ticket) {
    Optional<Row> row = database.call(limit, session -> LeaseTable.row(session, ticket));
    if (row.isEmpty()) {
      // The holder of the lock has not made it yet, and could not see there that a ticket waits.
      grants.makeRow(limit, ticket);
    }
    rows.joining().join(limit, ticket);
    if (sessions.hasEnded(ticket.id())) {
      // Withdrawn meanwhile, by a caller that did not find its place.
      database.call(limit, session -> grants.leaveQueue(session, ticket));
    }
    return row.filter(found -> found.remaining() > 0)
        .<Attempt>map(
            found -> new Attempt.Busy(LeaseTable.duration(found.remaining()), found.holder()))
        .orElseGet(SessionVerbs::usedUp);
  }

  // ---- the rest

  /** An attempt can only come by way of us, so the end of an id is final. */
  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    sessions.requirePatience(limit, ticket.id());
    sessions.end(ticket.id());
    grants.free(limit, ticket);
    if (rows.places().mayHaveRow(ticket)) {
      database.call(limit, session -> grants.leaveQueue(session, ticket));
    }
    return true;
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    sessions.requirePatience(limit, ticket.id());
    return grants.free(limit, ticket);
  }

  @Override
  public boolean isWaiting(Ticket ticket) {
    return rows.isWaiting(ticket);
  }

  @Override
  public void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    renewing.renew(limit, tickets, each);
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
    patient.close();
  }
}
