package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The statements on the rows of those who wait, and on what the rows of names say of them. */
final class QueueTable {
  private static final String WAIT =
      """
      INSERT INTO {queue} (name, lease_id, place, holder, mode, permits, size, fair, since, expires)
      SELECT :name, :id, coalesce(max(place), 0) + 1, :holder, :mode, :permits, :size, :fair,
        {now}, {now} + :life
      FROM {queue} WHERE name = :name
      """;

  private static final String STAY =
      "UPDATE {queue} SET expires = {now} + :life WHERE name IN (:names) AND lease_id IN (:ids)"
          + " AND expires > {now}";

  private static final String MARK =
      """
      UPDATE {lock} SET wanted_until = CASE WHEN wanted_until < {now} + :wanted THEN {now} + :wanted
          ELSE wanted_until END,
        others_until = CASE WHEN others_until < {now} + :others THEN {now} + :others
          ELSE others_until END
      WHERE name IN (:names)
      """;

  private static final String LEAVE = "DELETE FROM {queue} WHERE name = :name AND lease_id = :id";

  private static final String OTHERS =
      "SELECT 1 FROM {queue} WHERE name = :name AND lease_id <> :id AND expires > {now} LIMIT 1";

  private QueueTable() {}

  /** Gives the ticket the last place. */
  static void wait(Session session, Ticket ticket) throws SQLException {
    Map<String, Object> values = LeaseTable.values(ticket);
    values.put("life", placeLife(ticket));
    session.update(WAIT, values);
  }

  /** Keeps places, all for the same time; how many of them there were. */
  static int stay(Session session, List<Ticket> tickets, long life) throws SQLException {
    return session.update(
        STAY,
        Map.of(
            "names", LeaseTable.names(tickets),
            "ids", tickets.stream().map(ticket -> ticket.id().toString()).toList(),
            "life", life));
  }

  /** Writes into the rows of names that a ticket waits, and until when that is to be looked at. */
  static void mark(Session session, List<Ticket> tickets, long wanted, long others)
      throws SQLException {
    session.update(
        MARK, Map.of("names", LeaseTable.names(tickets), "wanted", wanted, "others", others));
  }

  /** Whether others than the ticket wait for its name. */
  static boolean hasOthers(Session session, Ticket ticket) throws SQLException {
    return !session.query(OTHERS, LeaseTable.values(ticket), row -> row.getInt(1)).isEmpty();
  }

  /** Removes the ticket from those who wait. */
  static boolean leave(Session session, Ticket ticket) throws SQLException {
    return session.update(LEAVE, LeaseTable.values(ticket)) > 0;
  }

  /** Whether an exclusive attempt must look at this ticket while it waits. */
  static boolean isInTheWay(Ticket ticket) {
    return ticket.fair() || ticket.mode() == LockMode.PERMITS;
  }

  static long placeLife(Ticket ticket) {
    return LeaseTable.micros(Duration.ofNanos(Places.lifeNanos(ticket)));
  }
}
