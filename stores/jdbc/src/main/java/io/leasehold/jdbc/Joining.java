package io.leasehold.jdbc;

import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Takes places among those who wait on a database server, and keeps them. Thread-safe. */
final class Joining {
  private final ServerDatabase database;
  private final PlacesHere places;

  Joining(ServerDatabase database, PlacesHere places) {
    this.database = database;
    this.places = places;
  }

  /** Takes a place, or keeps the one that it has, if it is time to. */
  void join(Limit limit, Ticket ticket) {
    if (!isDue(ticket)) {
      return;
    }
    try {
      if (limit.left() > 2 * Dialect.LOCK_WAIT.toNanos()) {
        database.callUnlessLocked(limit, session -> joined(session, ticket, true));
        return;
      }
    } catch (ServerDatabase.RowLocked e) {
      // A guard, say: the place is taken all the same.
    }
    database.transact(limit, session -> joined(session, ticket, isUnlocked(session, ticket)));
  }

  private boolean isDue(Ticket ticket) {
    return ticket.intent() == Ticket.Intent.QUEUE
        && Places.isToBeKept(ticket, Math.max(0, places.left(ticket)));
  }

  /** Whether the name's row is ours until the end of the transaction. */
  private static boolean isUnlocked(Session session, Ticket ticket) throws SQLException {
    return !RenewalTable.lockNames(session, List.of(ticket.name())).isEmpty();
  }

  /**
   * The same.
   *
   * @param marks whether the name's row is to say that a ticket waits; where others have it locked
   *     the next time does
   */
  boolean joined(Session session, Ticket ticket, boolean marks) throws SQLException {
    if (!isDue(ticket)) {
      return false;
    }
    long life = QueueTable.placeLife(ticket);
    long end = places.endIfWrittenNow(ticket);
    boolean known = places.mayHaveRow(ticket);
    places.begin(ticket);
    if (!known) {
      QueueTable.wait(session, ticket);
    } else if (QueueTable.stay(session, List.of(ticket), life) == 0) {
      QueueTable.leave(session, ticket);
      QueueTable.wait(session, ticket);
    }
    if (marks) {
      QueueTable.mark(session, List.of(ticket), life, QueueTable.isInTheWay(ticket) ? life : 0);
    }
    if (!places.kept(ticket, end)) {
      QueueTable.leave(session, ticket);
    }
    return true;
  }

  /**
   * What an attempt is told while another transaction keeps the name's row locked, as a guard does:
   * the lock is busy, whatever the row says. It waits all the same.
   */
  Attempt behindALockedRow(Limit limit, Ticket ticket) {
    return database.transact(
        limit,
        session -> {
          Optional<Row> row = LeaseTable.row(session, ticket);
          if (row.isEmpty()) {
            return new Attempt.Busy(LeaseTable.duration(0), "");
          }
          Admission admission =
              new Admission(row.get(), LeaseTable.others(session, List.of(ticket.name())), ticket);
          Optional<Attempt> told = admission.repeated().or(admission::otherKind);
          if (told.isPresent()) {
            return told.get();
          }
          joined(session, ticket, isUnlocked(session, ticket));
          return admission.refused();
        });
  }
}
