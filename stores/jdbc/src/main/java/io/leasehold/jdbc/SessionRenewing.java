package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Renews leases that live with a session, and asks about tickets that wait. */
final class SessionRenewing {
  private final ServerVerbs rows;
  private final ServerDatabase database;
  private final NamedLocks locks;
  private final SessionGrants grants;
  private final LockSessions sessions;
  private final Optional<NamedLockQueue> queue;

  SessionRenewing(
      ServerVerbs rows,
      ServerDatabase database,
      NamedLocks locks,
      SessionGrants grants,
      LockSessions sessions,
      Optional<NamedLockQueue> queue) {
    this.rows = rows;
    this.database = database;
    this.locks = locks;
    this.grants = grants;
    this.sessions = sessions;
    this.queue = queue;
  }

  /** Rows are renewed as where they alone exclude; and no lease lives longer than its session. */
  void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> known = new ArrayList<>();
    List<Ticket> waiting = new ArrayList<>();
    for (Ticket ticket : tickets) {
      if (rows.places().isWaiting(ticket)) {
        waiting.add(ticket);
      } else if (sessions.of(ticket.id()).isPresent()) {
        known.add(ticket);
      } else {
        each.accept(ticket.id(), new Renewal.Gone());
      }
    }
    rows.renew(limit, known, (id, answer) -> each.accept(id, held(id, answer)));
    poll(limit, waiting, each);
  }

  private Renewal held(LeaseId id, Renewal answer) {
    if (!(answer instanceof Renewal.Renewed renewed)) {
      return answer;
    }
    Optional<LockSession> held = sessions.of(id);
    if (held.isEmpty()) {
      return new Renewal.Gone();
    }
    Duration left = held.get().left();
    if (left.isNegative() || left.isZero()) {
      return new Renewal.Unknown(
          database.errors().unavailable("does not answer on the lease's connection"));
    }
    return left.compareTo(renewed.remaining()) < 0
        ? new Renewal.Renewed(left, renewed.wanted())
        : renewed;
  }

  /** What the rows cannot tell is whether the session of who holds has ended. */
  private void poll(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    if (tickets.isEmpty()) {
      return;
    }
    Set<Object> taken;
    try {
      taken = taken(limit, tickets);
    } catch (StoreException e) {
      tickets.forEach(ticket -> each.accept(ticket.id(), new Renewal.Unknown(e)));
      return;
    }
    Set<LeaseId> mayBe =
        tickets.stream()
            .filter(ticket -> !isQueued(ticket) && !taken.contains(grants.key(ticket)))
            .map(Ticket::id)
            .collect(Collectors.toSet());
    rows.renew(
        limit,
        tickets,
        (id, answer) -> {
          boolean waits = answer instanceof Renewal.Waiting || answer instanceof Renewal.AttemptNow;
          Renewal told = mayBe.contains(id) ? new Renewal.AttemptNow() : new Renewal.Waiting();
          each.accept(id, waits ? told : answer);
        });
  }

  /** Of those that are not in the server's queue, which are granted by it. */
  private Set<Object> taken(Limit limit, List<Ticket> tickets) {
    List<Object> asked =
        tickets.stream().filter(ticket -> !isQueued(ticket)).map(grants::key).toList();
    return asked.isEmpty()
        ? Set.of()
        : database.call(limit, session -> locks.taken(session, asked));
  }

  private boolean isQueued(Ticket ticket) {
    return queue.isPresent() && queue.get().isIn(ticket);
  }
}
