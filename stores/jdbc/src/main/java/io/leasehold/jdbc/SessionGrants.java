package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.jdbc.NamedLocks.Tried;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/*
 * The server's lock decides who is next, the row says who it is: number, lease id, and until when
 * it stands without renewal. The client that has the lock takes the row, whatever it says: that of
 * a session that has ended, or of a holder that freed the lock first. What the former holder still
 * sends names its own lease, and changes nothing.
 */

/** Gives leases to who has the server's lock of their name, and ends them. Thread-safe. */
final class SessionGrants {
  private static final int ROUNDS = 4;

  /** So soon after its grant a ticket leaves the queue: not while its caller is woken. */
  private static final Duration LEAVING_AFTER = Duration.ofMillis(2);

  private static final Duration LEAVING = Duration.ofSeconds(2);

  private final ServerVerbs rows;
  private final ServerDatabase database;
  private final NamedLocks locks;
  private final String scope;
  private final LockSessions sessions;
  private final Clock clock;
  private final Threads threads;

  SessionGrants(
      ServerVerbs rows,
      ServerDatabase database,
      NamedLocks locks,
      String scope,
      LockSessions sessions,
      Clock clock,
      Threads threads) {
    this.rows = rows;
    this.database = database;
    this.locks = locks;
    this.scope = scope;
    this.sessions = sessions;
    this.clock = clock;
    this.threads = threads;
  }

  /** The server's name for the ticket's lock. */
  Object key(Ticket ticket) {
    return locks.key(scope, ticket.name());
  }

  /** What a step towards a grant sends. */
  private interface Step {
    Optional<Granted> send() throws SQLException;
  }

  /** Takes the lock if it is free. The caller uses the connection, and does not any more. */
  Optional<Granted> attempt(Limit limit, Ticket ticket, LockSession one) {
    Object key = key(ticket);
    return granted(
        limit,
        ticket,
        key,
        one,
        () -> {
          // A caller that asks again on the same connection would have it twice.
          Tried tried =
              one.has(key) ? Tried.BUSY : one.ask(limit, session -> tried(session, ticket, key));
          return tried.locked() ? given(limit, ticket, key, one, tried.taken()) : Optional.empty();
        });
  }

  /**
   * The lease of who has the lock.
   *
   * @param session which has it, and nothing else; not the caller's any more
   */
  Optional<Granted> grant(Limit limit, Ticket ticket, Object key, Session session) {
    LockSession one = sessions.use(ticket, session);
    return granted(limit, ticket, key, one, () -> given(limit, ticket, key, one, Optional.empty()));
  }

  private Optional<Granted> granted(
      Limit limit, Ticket ticket, Object key, LockSession one, Step step) {
    Optional<Granted> grant;
    try {
      grant = step.send();
    } catch (SQLException e) {
      throw sessions.failed(limit, one, key, e);
    } catch (RuntimeException | Error e) {
      sessions.abandon(limit, one, key, false);
      throw e;
    }
    sessions.leave(one);
    if (grant.isPresent() && sessions.hasEnded(ticket.id())) {
      // Withdrawn meanwhile, by a caller that did not find it.
      free(limit, ticket);
      return Optional.empty();
    }
    return grant;
  }

  /** What is asked again must not have the lock twice. */
  private Tried tried(Session session, Ticket ticket, Object key) throws SQLException {
    try {
      return locks.tryTake(session, ticket, key);
    } catch (SQLException e) {
      if (database.errors().trouble(e) != Dialect.Trouble.BROKEN) {
        locks.unlock(session, key);
      }
      throw e;
    }
  }

  /** The lock is ours: the lease is the ticket's, unless its id is used up. */
  private Optional<Granted> given(
      Limit limit, Ticket ticket, Object key, LockSession one, Optional<Dialect.Taken> taken)
      throws SQLException {
    Optional<Granted> grant =
        taken.isPresent()
            ? taken.map(row -> granted(ticket, row))
            : one.ask(limit, session -> byRow(limit, ticket, one, session));
    if (grant.isPresent()) {
      sessions.hold(one, ticket, key);
      rows.places().granted(ticket);
    } else {
      one.ask(limit, session -> locks.unlock(session, key));
    }
    return grant;
  }

  private static Granted granted(Ticket ticket, Dialect.Taken taken) {
    return new Granted(taken.number(), ticket.ttl(), taken.wanted());
  }

  private Optional<Granted> byRow(Limit limit, Ticket ticket, LockSession one, Session session)
      throws SQLException {
    for (int round = 0; round < ROUNDS; round++) {
      Optional<Dialect.Taken> taken = locks.take(session, ticket);
      if (taken.isPresent()) {
        return Optional.of(granted(ticket, taken.get()));
      }
      Optional<Row> row = LeaseTable.row(session, ticket);
      if (row.isEmpty()) {
        makeRow(limit, ticket);
      } else if (isOf(row.get(), ticket)) {
        // Its answer was lost with its connection: no other ticket had the lock since.
        return row.map(found -> repeated(ticket, found, one))
            .filter(Granted.class::isInstance)
            .map(Granted.class::cast);
      }
    }
    throw new SQLException("the row of a name whose lock is ours changes all the time", "40001");
  }

  /** Makes sure that the name has a row. */
  void makeRow(Limit limit, Ticket ticket) {
    database.transact(limit, session -> rows.lockedRow(session, ticket));
  }

  static boolean isOf(Row row, Ticket ticket) {
    return row.leaseId().equals(ticket.id().toString());
  }

  /** What was granted before, as far as it still stands by its row and its connection. */
  static Attempt repeated(Ticket ticket, Row row, LockSession held) {
    long remaining = Math.min(row.remaining(), LeaseTable.micros(held.left()));
    return Admission.repeated(ticket, row.fence(), remaining, row.wanted() > 0);
  }

  /** Frees the ticket's lease and its lock; whether the lease still stood. */
  boolean free(Limit limit, Ticket ticket) {
    return sessions.free(limit, ticket, session -> leaveQueue(session, ticket));
  }

  /**
   * Removes the ticket from those who wait, though it holds by now: so that its release need not do
   * that while the next holder writes.
   */
  void leaveQueueSoon(Ticket ticket) {
    if (rows.places().mayHaveRow(ticket)) {
      threads.schedule(
          () -> threads.background(() -> leaveQueueNow(ticket)), LEAVING_AFTER.toNanos());
    }
  }

  private void leaveQueueNow(Ticket ticket) {
    try (Limit limit = new Limit(clock, LEAVING)) {
      database.call(limit, session -> QueueTable.leave(session, ticket));
      rows.places().forget(ticket);
    } catch (StoreException e) {
      Log.debug("a place is left for the release", e);
    }
  }

  /** Removes the ticket from those who wait. */
  boolean leaveQueue(Session session, Ticket ticket) throws SQLException {
    // Forgotten first: an attempt that writes its row from now on removes it again.
    if (!rows.places().forget(ticket)) {
      return false;
    }
    try {
      return QueueTable.leave(session, ticket);
    } catch (SQLException e) {
      rows.places().begin(ticket);
      throw e;
    }
  }
}
