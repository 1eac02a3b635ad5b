package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Whether a ticket is granted, and why not; inside a transaction that writes. */
final class SqliteGranting {
  private final SqliteStatements statements;

  SqliteGranting(SqliteStatements statements) {
    this.statements = statements;
  }

  Attempt attempt(Session session, Ticket ticket) throws SQLException {
    boolean alone = ticket.mode() == LockMode.EXCLUSIVE;
    Optional<SqliteStatements.Taken> taken =
        statements.take(session, ticket, alone ? ticket.ttl().toNanos() : 0);
    return taken.isPresent()
        ? granted(session, ticket, taken.get())
        : refused(session, ticket, SqliteRows.standing(session, ticket));
  }

  private static Attempt granted(Session session, Ticket ticket, SqliteStatements.Taken taken)
      throws SQLException {
    if (ticket.mode() != LockMode.EXCLUSIVE) {
      SqliteRows.share(session, ticket, taken.number());
    }
    if (taken.waited()) {
      SqliteRows.leave(session, ticket);
    }
    return new Attempt.Granted(taken.number(), ticket.ttl(), taken.wanted());
  }

  private Attempt refused(Session session, Ticket ticket, List<SqliteRows.Standing> all)
      throws SQLException {
    List<SqliteRows.Standing> holders = all.stream().filter(SqliteRows.Standing::holds).toList();
    for (SqliteRows.Standing held : holders) {
      if (held.is(ticket)) {
        return new Attempt.Granted(
            held.number(),
            Duration.ofNanos(held.remaining()),
            SqliteRows.isWanted(session, ticket));
      }
    }
    if (all.stream().anyMatch(other -> other.is(ticket))) {
      // Its lease has ended: the id is used up and is never granted again.
      return new Attempt.Busy(Duration.ZERO, "");
    }
    Optional<SqliteRows.Standing> other =
        all.stream().filter(s -> s.isLive() && s.isOtherKind(ticket)).findFirst();
    return other.isPresent()
        ? new Attempt.OtherKind(other.get().mode(), other.get().size())
        : busy(session, ticket, holders);
  }

  private Attempt busy(Session session, Ticket ticket, List<SqliteRows.Standing> holders)
      throws SQLException {
    String holder = holders.isEmpty() ? "" : holders.get(0).holder();
    if (ticket.intent() == Ticket.Intent.QUEUE) {
      statements.join(session, ticket, Places.lifeNanos(ticket));
    }
    if (ticket.fair()) {
      return new Attempt.Queued(SqliteRows.place(session, ticket), holder);
    }
    long soonest = holders.stream().mapToLong(SqliteRows.Standing::remaining).min().orElse(0);
    return new Attempt.Busy(Duration.ofNanos(soonest), holder);
  }
}
