package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.spi.Ticket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * The row of a name says all that an exclusive attempt must know: until when it is held alone
 * ("expires"), until when there may be shared leases, permits, or waiters that are not to be
 * overtaken ("others_until"), and until when there may be any waiter ("wanted_until"). So the
 * common case is one statement on one row. Whatever else is granted, or takes a place, locks that
 * row first; the rows of the other tables are written before the row of the name says less than
 * they do. What is released or leaves early may leave the name's row saying too much: the next
 * client that looks corrects it.
 *
 * What is released ends for good ("expires" = 0), whatever the clock is set to afterwards. A shared
 * grant so ends the name's exclusive lease too: it has lapsed, and a renewal that read the clock
 * before it waited for the row could revive it.
 */

/** The statements on the tables of a database server. */
final class LeaseTable {
  /** The mode of what is left of a withdrawn id, until nothing of it can arrive any more. */
  static final String WITHDRAWN = "WITHDRAWN";

  static final String FREE =
      """
      UPDATE {lock} SET expires = 0 WHERE name = :name AND lease_id = :id AND expires > {now}
      """;

  static final String FREE_SHARE =
      """
      UPDATE {share} SET expires = 0 WHERE name = :name AND lease_id = :id AND expires > {now}
      """;

  static final String BREAK =
      """
      UPDATE {lock} SET expires = 0 WHERE name = :name AND fence = :number AND expires > {now}
      """;

  static final String BREAK_SHARE =
      """
      UPDATE {share} SET expires = 0 WHERE name = :name AND fence = :number AND expires > {now}
      """;

  /** Whether there may be a waiter. */
  static final String WANTED = "CASE WHEN wanted_until > {now} THEN 1 ELSE 0 END";

  /** Up to which name, or names, it is asked for. */
  private static final String ROW =
      """
      SELECT name, fence, lease_id, holder, expires - {now}, others_until - {now},
        wanted_until - {now}, {next}
      FROM {lock} WHERE name""";

  private static final String OTHERS =
      """
      SELECT name, lease_id, holder, mode, permits, size, -1 AS fair, fence AS place,
        expires - {now} AS remaining FROM {share} WHERE name IN (:names)
      UNION ALL
      SELECT name, lease_id, holder, mode, permits, size, fair, place, expires - {now}
      FROM {queue} WHERE name IN (:names) AND expires > {now}
      ORDER BY 7, 8
      """;

  private static final String GRANT_ALONE =
      """
      UPDATE {lock} SET fence = :number, lease_id = :id, holder = :holder, granted = {now},
        expires = {now} + :life, others_until = {now} + :others, wanted_until = {now} + :wanted
      WHERE name = :name
      """;

  private static final String GRANT_SHARE =
      """
      UPDATE {lock} SET fence = :number, expires = 0, others_until = {now} + :others,
        wanted_until = {now} + :wanted
      WHERE name = :name
      """;

  private static final String SHARE =
      """
      INSERT INTO {share} (name, lease_id, fence, holder, mode, permits, size, granted, expires)
      VALUES (:name, :id, :number, :holder, :mode, :permits, :size, {now}, {now} + :life)
      """;

  /** As {@link #SHARE}, in place of one that has ended. */
  private static final String SHARE_AGAIN =
      """
      UPDATE {share} SET lease_id = :id, fence = :number, holder = :holder, mode = :mode,
        permits = :permits, size = :size, granted = {now}, expires = {now} + :life
      WHERE name = :name AND lease_id = :ended
      """;

  private static final String BURY =
      "UPDATE {share} SET mode = :mode, expires = {now} + :life WHERE name = :name AND lease_id = :id";

  /** Longer than any request is on its way after its connection was given up. */
  private static final long BURIED = micros(Duration.ofMinutes(1));

  /**
   * The row of one name.
   *
   * @param remaining how long it is still held alone
   * @param others how long there may still be shared leases, permits or places
   * @param wanted how long there may still be a waiter
   * @param next the fence number of its next grant
   */
  record Row(
      String name,
      long fence,
      String leaseId,
      String holder,
      long remaining,
      long others,
      long wanted,
      long next) {}

  /**
   * A shared lease, permits, what was withdrawn, or a ticket that waits.
   *
   * @param waits whether it waits
   * @param number its fence number, or its place
   * @param remaining how long it still lives; not positive if it has ended
   */
  record Other(
      String name,
      String leaseId,
      String holder,
      String mode,
      int permits,
      int size,
      boolean waits,
      boolean fair,
      long number,
      long remaining) {
    boolean isLive() {
      return remaining > 0;
    }

    boolean is(Ticket ticket) {
      return leaseId.equals(ticket.id().toString());
    }

    /** Whether it is no lease, but keeps one from being granted late. */
    boolean isWithdrawn() {
      return mode.equals(WITHDRAWN);
    }

    /** Whether an exclusive attempt must look at it before it may be granted. */
    boolean isInTheWay() {
      return !waits || fair || mode.equals(LockMode.PERMITS.name());
    }
  }

  private LeaseTable() {}

  static Optional<Row> row(Session session, Ticket ticket) throws SQLException {
    return row(session, ticket.name(), "");
  }

  /** The row, which no other transaction changes until this one ends. */
  static Optional<Row> lockedRow(Session session, String name, String lockClause)
      throws SQLException {
    return row(session, name, lockClause);
  }

  private static Optional<Row> row(Session session, String name, String lockClause)
      throws SQLException {
    return session
        .query(ROW + " = :name" + lockClause, Map.of("name", name), LeaseTable::read)
        .stream()
        .findFirst();
  }

  /** The rows of names. */
  static List<Row> rows(Session session, List<String> names) throws SQLException {
    return session.query(ROW + " IN (:names)", Map.of("names", names), LeaseTable::read);
  }

  private static Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString(1),
        row.getLong(2),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8));
  }

  /** Shared leases and permits, live and ended, and all that wait, in their order. */
  static List<Other> others(Session session, List<String> names) throws SQLException {
    return session.query(OTHERS, Map.of("names", names), LeaseTable::other);
  }

  private static Other other(ResultSet row) throws SQLException {
    int fair = row.getInt(7);
    return new Other(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getInt(5),
        row.getInt(6),
        fair >= 0,
        fair > 0,
        row.getLong(8),
        row.getLong(9));
  }

  static void grantAlone(Session session, Ticket ticket, long number, long others, long wanted)
      throws SQLException {
    session.update(GRANT_ALONE, granted(ticket, number, others, wanted));
  }

  /** Writes a shared lease, in place of one that has ended if there is one. */
  static void share(Session session, Ticket ticket, long number, Optional<Other> ended)
      throws SQLException {
    Map<String, Object> values = granted(ticket, number, 0, 0);
    ended.ifPresent(other -> values.put("ended", other.leaseId()));
    session.update(ended.isPresent() ? SHARE_AGAIN : SHARE, values);
  }

  static void grantShare(Session session, Ticket ticket, long number, long others, long wanted)
      throws SQLException {
    session.update(GRANT_SHARE, granted(ticket, number, others, wanted));
  }

  private static Map<String, Object> granted(Ticket ticket, long number, long others, long wanted) {
    Map<String, Object> values = values(ticket);
    values.put("number", number);
    values.put("others", others);
    values.put("wanted", wanted);
    return values;
  }

  /** Frees a shared lease. */
  static boolean freeShare(Session session, Ticket ticket) throws SQLException {
    return session.update(FREE_SHARE, values(ticket)) > 0;
  }

  /** From now on the id is not granted any more, whatever still arrives. */
  static void bury(Session session, Ticket ticket) throws SQLException {
    Map<String, Object> values = granted(ticket, 0, 0, 0);
    values.put("mode", WITHDRAWN);
    values.put("life", BURIED);
    if (session.update(BURY, values) == 0) {
      session.update(SHARE, values);
    }
    QueueTable.mark(session, List.of(ticket), 0, BURIED);
  }

  static boolean breakLease(Session session, String name, long number) throws SQLException {
    Map<String, Object> lease = Map.of("name", name, "number", number);
    return session.update(BREAK, lease) > 0 || session.update(BREAK_SHARE, lease) > 0;
  }

  /** What a statement may say of a ticket. */
  static Map<String, Object> values(Ticket ticket) {
    Map<String, Object> values = new HashMap<>();
    values.put("name", ticket.name());
    values.put("id", ticket.id().toString());
    values.put("holder", HolderName.bounded(ticket.holder()));
    values.put("mode", ticket.mode().name());
    values.put("permits", ticket.permits());
    values.put("size", ticket.limit());
    values.put("fair", ticket.fair() ? 1 : 0);
    values.put("life", life(ticket));
    return values;
  }

  static List<String> names(List<Ticket> tickets) {
    return tickets.stream().map(Ticket::name).distinct().toList();
  }

  static long life(Ticket ticket) {
    return micros(ticket.ttl());
  }

  static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
