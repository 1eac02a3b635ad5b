package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * What differs from database to database in the lease rows: the statements that must do several
 * things in one atomic step. One class for each database; everything else is {@link LeaseRows}.
 * Statements may use the parameters {@code :now}, nanoseconds, and {@code :epoch}; on a database
 * with a clock of its own these stand for its expressions.
 */
interface Dialect {
  /**
   * A grant.
   *
   * @param number the fence number
   * @param wanted whether another ticket waits
   * @param waited whether this ticket left a waiter row
   */
  record Taken(long number, boolean wanted, boolean waited) {}

  /**
   * What the database knows of a ticket.
   *
   * @param holds whether its lease is live
   * @param waitsFor how long it keeps its place; not positive if it has none
   * @param admitted whether an attempt would be granted
   */
  record State(boolean holds, long waitsFor, boolean admitted) {}

  /**
   * Gives the name's next number to the ticket if the name is free for it, it is the ticket's turn,
   * and its id is not known to be used up; in one statement.
   *
   * @param lifeNanos how long the ticket then holds the name alone
   */
  Optional<Taken> take(Session session, Ticket ticket, long lifeNanos) throws SQLException;

  /** Gives the ticket the last place, or keeps the place that it has. */
  void join(Session session, Ticket ticket, long lifeNanos) throws SQLException;

  /**
   * Renews those of the tickets that hold, in as few statements as possible.
   *
   * @return the lease ids of those renewed, and whether another ticket waits for their name
   */
  Map<String, Boolean> renew(Session session, Collection<Ticket> tickets) throws SQLException;

  /** Keeps the places of those of the tickets that have one, in as few statements as possible. */
  void stay(Session session, Map<Ticket, Long> lives) throws SQLException;

  /** What the database knows of each lease id, in as few statements as possible. */
  Map<String, State> look(Session session, Collection<Ticket> tickets) throws SQLException;
}
