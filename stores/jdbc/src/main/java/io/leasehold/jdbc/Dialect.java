package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * What differs from database to database in the lease row: the statements that must do several
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
   * Grants the name to the ticket if it is free and its last lease was another's; in one statement.
   */
  Optional<Taken> take(Session session, Ticket ticket) throws SQLException;

  /** Notes that the ticket waits, or that it still does. */
  void join(Session session, Ticket ticket, long lifeNanos) throws SQLException;

  /**
   * Renews those of the tickets that hold, in as few statements as possible.
   *
   * @return the lease ids of those renewed, and whether another ticket waits for their name
   */
  Map<String, Boolean> renew(Session session, Collection<Ticket> tickets) throws SQLException;

  /** Keeps those of the tickets that wait waiting, in as few statements as possible; adds none. */
  void stay(Session session, Map<Ticket, Long> lives) throws SQLException;

  /**
   * What the database knows of each lease id; ids it knows nothing of are missing. In as few
   * statements as possible.
   */
  Map<String, LeaseRows.State> look(Session session, Collection<Ticket> tickets)
      throws SQLException;
}
