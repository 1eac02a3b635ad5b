package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The statements on the rows of one name that every database understands as they are. */
final class SqliteRows {
  private static final String STANDING =
      """
      SELECT 0 AS waits, lease_id, holder, 'EXCLUSIVE' AS mode, 1 AS size, fence,
        CASE WHEN epoch = :epoch THEN expires - :now ELSE 0 END AS remaining
      FROM leasehold_lock WHERE name = :name
      UNION ALL
      SELECT 0, lease_id, holder, mode, size, fence,
        CASE WHEN epoch = :epoch THEN expires - :now ELSE 0 END
      FROM leasehold_share WHERE name = :name
      UNION ALL
      SELECT 1, lease_id, holder, mode, size, place, expires - :now
      FROM leasehold_queue WHERE name = :name AND epoch = :epoch AND expires > :now
        AND (size <> :size OR (mode = 'PERMITS') <> (:mode = 'PERMITS'))
      ORDER BY 1, 6
      """;

  private static final String WANTED =
      """
      SELECT count(*) FROM leasehold_queue
      WHERE name = :name AND lease_id <> :id AND epoch = :epoch AND expires > :now
      """;

  private static final String PLACE =
      """
      SELECT count(*) FROM leasehold_queue WHERE name = :name AND epoch = :epoch AND expires > :now
        AND place < (SELECT place FROM leasehold_queue WHERE name = :name AND lease_id = :id)
      """;

  private static final String FORGET =
      """
      DELETE FROM leasehold_share WHERE name = :name AND (epoch <> :epoch OR expires <= :now)
      """;

  private static final String SHARE =
      """
      INSERT INTO leasehold_share
        (name, lease_id, fence, holder, mode, permits, size, epoch, granted, expires)
      VALUES (:name, :id, :number, :holder, :mode, :permits, :size, :epoch, :now, :now + :life)
      """;

  private static final String FREE =
      """
      UPDATE leasehold_lock SET expires = :now
      WHERE name = :name AND lease_id = :id AND epoch = :epoch AND expires > :now
      """;

  private static final String FREE_SHARE =
      """
      UPDATE leasehold_share SET expires = :now
      WHERE name = :name AND lease_id = :id AND epoch = :epoch AND expires > :now
      """;

  private static final String BREAK =
      """
      UPDATE leasehold_lock SET expires = :now
      WHERE name = :name AND fence = :number AND epoch = :epoch AND expires > :now
      """;

  private static final String BREAK_SHARE =
      """
      UPDATE leasehold_share SET expires = :now
      WHERE name = :name AND fence = :number AND epoch = :epoch AND expires > :now
      """;

  private static final String LEAVE =
      "DELETE FROM leasehold_queue WHERE name = :name AND lease_id = :id";

  /**
   * One that holds or held, or that waits and does not go with the ticket that was asked for.
   *
   * @param size how many permits there are
   * @param number its fence number, if it holds or held
   * @param remaining how long it still lives; not positive if it does not
   */
  record Standing(
      boolean waits,
      String leaseId,
      String holder,
      LockMode mode,
      int size,
      long number,
      long remaining) {
    boolean isLive() {
      return remaining > 0;
    }

    boolean holds() {
      return !waits && isLive();
    }

    boolean is(Ticket ticket) {
      return !waits && leaseId.equals(ticket.id().toString());
    }

    /** Whether it is a lock of another kind than the ticket wants, or of another size. */
    boolean isOtherKind(Ticket ticket) {
      return (mode == LockMode.PERMITS) != (ticket.mode() == LockMode.PERMITS)
          || size != ticket.limit();
    }
  }

  private SqliteRows() {}

  /**
   * Who stands in the ticket's way: holders, first those who hold longest; then waiters that do not
   * go with it.
   */
  static List<Standing> standing(Session session, Ticket ticket) throws SQLException {
    return session.query(
        STANDING,
        values(ticket, 0),
        row ->
            new Standing(
                row.getBoolean(1),
                row.getString(2),
                row.getString(3),
                LockMode.valueOf(row.getString(4)),
                row.getInt(5),
                row.getLong(6),
                row.getLong(7)));
  }

  /** Whether another ticket waits. */
  static boolean isWanted(Session session, Ticket ticket) throws SQLException {
    return count(session, WANTED, ticket) > 0;
  }

  /** How many wait before this ticket, which has a place. */
  static int place(Session session, Ticket ticket) throws SQLException {
    return count(session, PLACE, ticket);
  }

  private static int count(Session session, String sql, Ticket ticket) throws SQLException {
    return session.query(sql, values(ticket, 0), row -> row.getInt(1)).get(0);
  }

  /**
   * Makes the ticket one of those that hold the name, under a number that it was given; forgets
   * those that did.
   */
  static void share(Session session, Ticket ticket, long number) throws SQLException {
    session.update(FORGET, values(ticket, 0));
    Map<String, Object> values = values(ticket, ticket.ttl().toNanos());
    values.put("number", number);
    session.update(SHARE, values);
  }

  /** Frees the lease of this id; whether there was one. */
  static boolean free(Session session, Ticket ticket) throws SQLException {
    String sql = ticket.mode() == LockMode.EXCLUSIVE ? FREE : FREE_SHARE;
    return session.update(sql, values(ticket, 0)) > 0;
  }

  /** Removes the waiter row of this id. */
  static void leave(Session session, Ticket ticket) throws SQLException {
    session.update(LEAVE, values(ticket, 0));
  }

  /** Frees the lease with this number; whether there was one. */
  static boolean breakLease(Session session, String name, long number) throws SQLException {
    Map<String, Object> lease = Map.of("name", name, "number", number);
    return session.update(BREAK, lease) > 0 || session.update(BREAK_SHARE, lease) > 0;
  }

  /** What a statement may say of a ticket. */
  static Map<String, Object> values(Ticket ticket, long lifeNanos) {
    Map<String, Object> values = new HashMap<>();
    values.put("name", ticket.name());
    values.put("id", ticket.id().toString());
    values.put("holder", ticket.holder());
    values.put("mode", ticket.mode().name());
    values.put("permits", ticket.permits());
    values.put("size", ticket.limit());
    values.put("fair", ticket.fair() ? 1 : 0);
    values.put("life", lifeNanos);
    return values;
  }
}
