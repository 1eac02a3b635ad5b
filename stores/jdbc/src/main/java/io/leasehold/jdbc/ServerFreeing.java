package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Log;
import java.sql.SQLException;
import java.util.Set;

/** Ends leases and waits on a database server. Thread-safe. */
final class ServerFreeing {
  private final ServerDatabase database;
  private final Dialect dialect;
  private final PlacesHere places;
  private final Set<LeaseId> unresolved;

  /**
   * On a server.
   *
   * @param unresolved of which an attempt ended without an answer, so that it may still land
   */
  ServerFreeing(
      ServerDatabase database, Dialect dialect, PlacesHere places, Set<LeaseId> unresolved) {
    this.database = database;
    this.dialect = dialect;
    this.places = places;
    this.unresolved = unresolved;
  }

  /**
   * Of what is not found, or in doubt, an attempt may be on its way: the id is buried, so that it
   * finds its end. Who gives up by the thousands was found, and leaves nothing.
   */
  boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    boolean mayLand = underWay || unresolved.contains(ticket.id());
    // First: an attempt that writes its row from now on removes it again.
    boolean waited = places.giveUp(ticket);
    try {
      boolean buried = mayLand || !database.call(limit, session -> leave(session, ticket, waited));
      if (buried) {
        database.transact(limit, session -> bury(session, ticket));
        // An attempt that had the row before may have begun to wait anew.
        places.forget(ticket);
      }
      unresolved.remove(ticket.id());
      return buried;
    } catch (StoreException e) {
      if (waited) {
        places.begin(ticket);
      }
      throw e;
    }
  }

  /** What an attempt that had the name's row before has written is there to be removed. */
  private boolean bury(Session session, Ticket ticket) throws SQLException {
    NameRows.locked(session, ticket.name(), dialect);
    boolean found = leave(session, ticket, true);
    LeaseTable.bury(session, ticket);
    return found;
  }

  /** Whether it held or waited. */
  private boolean leave(Session session, Ticket ticket, boolean mayHaveRow) throws SQLException {
    boolean waited = mayHaveRow && QueueTable.leave(session, ticket);
    boolean held = mayHold(session, ticket) && free(session, ticket);
    boolean isTold = held && ticket.mode() == LockMode.EXCLUSIVE;
    if ((waited || held) && !isTold) {
      // Those behind it may be next.
      dialect.tell(session, ticket.name());
    }
    return waited || held;
  }

  /** Looked at before: to free what it does not hold could wait for who has the row locked. */
  private static boolean mayHold(Session session, Ticket ticket) throws SQLException {
    return ticket.mode() != LockMode.EXCLUSIVE
        || LeaseTable.row(session, ticket)
            .filter(row -> row.leaseId().equals(ticket.id().toString()))
            .isPresent();
  }

  private boolean free(Session session, Ticket ticket) throws SQLException {
    return ticket.mode() == LockMode.EXCLUSIVE
        ? dialect.free(session, ticket)
        : LeaseTable.freeShare(session, ticket);
  }

  boolean free(Limit limit, Ticket ticket) {
    unresolved.remove(ticket.id());
    boolean freed = database.call(limit, session -> free(session, ticket));
    boolean tells = freed && ticket.mode() != LockMode.EXCLUSIVE;
    // Its row among those who wait was left behind, so that the grant was one statement.
    boolean leaves = places.forget(ticket);
    if (tells || leaves) {
      afterwards(
          limit,
          "a place is left, or a waiter not told",
          session -> {
            if (leaves) {
              QueueTable.leave(session, ticket);
            }
            if (tells) {
              dialect.tell(session, ticket.name());
            }
            return true;
          });
    }
    return freed;
  }

  /**
   * What is done beside an answer that is known does not change it. It is asked for once more if
   * its connection broke; what is left after that lapses.
   */
  private void afterwards(Limit limit, String failed, Session.Work<Boolean> work) {
    for (int i = 0; i < 2; i++) {
      try {
        database.callUnlessLocked(limit, work);
        return;
      } catch (StoreException | ServerDatabase.RowLocked e) {
        Log.debug(failed, e);
      }
    }
  }

  boolean breakLease(Limit limit, String name, long number) {
    boolean broken = database.call(limit, session -> LeaseTable.breakLease(session, name, number));
    if (broken) {
      afterwards(
          limit,
          "a waiter is not told",
          session -> {
            dialect.tell(session, name);
            return true;
          });
    }
    return broken;
  }
}
