package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The statements that must do several things in one atomic step, in SQLite 3.37 or newer. They use
 * {@code :now}, nanoseconds, and {@code :epoch}. Lists of tickets are passed as JSON, so that one
 * statement does for all.
 */
final class SqliteStatements {
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

  /** Whether ticket {@code t} may be granted: the rules of the modes and of the queue. */
  private static final String ADMITTED =
      """
      (NOT EXISTS (SELECT 1 FROM leasehold_lock l
          WHERE l.name = t.name AND l.epoch = :epoch AND l.expires > :now)
        AND NOT EXISTS (SELECT 1 FROM leasehold_share s
          WHERE s.name = t.name AND (s.lease_id = t.id OR s.epoch = :epoch AND s.expires > :now
            AND (s.mode <> t.mode OR s.size <> t.size)))
        AND (t.mode <> 'PERMITS' OR t.size >= t.permits
          + (SELECT coalesce(sum(s.permits), 0) FROM leasehold_share s
            WHERE s.name = t.name AND s.epoch = :epoch AND s.expires > :now))
        AND NOT EXISTS (SELECT 1 FROM leasehold_queue w
          WHERE w.name = t.name AND w.epoch = :epoch AND w.expires > :now
            AND ((w.mode = 'PERMITS') <> (t.mode = 'PERMITS') OR w.size <> t.size
              OR (w.fair AND t.fair OR w.mode = 'EXCLUSIVE' AND t.mode = 'SHARED')
                AND w.place < coalesce((SELECT o.place FROM leasehold_queue o
                  WHERE o.name = t.name AND o.lease_id = t.id AND o.epoch = :epoch
                    AND o.expires > :now), w.place + 1))))
      """;

  private static final String TAKE =
      """
      INSERT INTO leasehold_lock (name, fence, lease_id, holder, epoch, granted, expires)
      SELECT t.name, (SELECT floor + 1 FROM leasehold_meta), t.id, :holder, :epoch, :now, :now + :life
      FROM (SELECT :name AS name, :id AS id, :mode AS mode, :permits AS permits, :size AS size,
        :fair AS fair) t
      WHERE\s"""
          + ADMITTED
          + """
            ON CONFLICT (name) DO UPDATE SET fence = fence + 1, lease_id = excluded.lease_id,
              holder = excluded.holder, epoch = excluded.epoch, granted = excluded.granted,
              expires = excluded.expires
            WHERE leasehold_lock.lease_id <> excluded.lease_id
            RETURNING fence,
              EXISTS (SELECT 1 FROM leasehold_queue w
                WHERE w.name = :name AND w.lease_id <> :id AND w.epoch = :epoch AND w.expires > :now),
              EXISTS (SELECT 1 FROM leasehold_queue w WHERE w.name = :name AND w.lease_id = :id)
            """;

  private static final String JOIN =
      """
      INSERT INTO leasehold_queue
        (name, lease_id, place, holder, mode, permits, size, fair, epoch, since, expires)
      VALUES (:name, :id,
        (SELECT coalesce(max(place), 0) + 1 FROM leasehold_queue WHERE name = :name),
        :holder, :mode, :permits, :size, :fair, :epoch, :now, :now + :life)
      ON CONFLICT (name, lease_id) DO UPDATE SET
        place = iif(epoch = :epoch AND expires > :now, place, excluded.place),
        since = iif(epoch = :epoch AND expires > :now, since, excluded.since),
        epoch = excluded.epoch, expires = excluded.expires
      """;

  private static final String TICKETS =
      """
      (SELECT value ->> 'name' AS name, value ->> 'id' AS id, value ->> 'life' AS life,
        value ->> 'mode' AS mode, value ->> 'permits' AS permits, value ->> 'size' AS size,
        value ->> 'fair' AS fair FROM json_each(:tickets)) t
      """;

  private static final String RENEW = renew("leasehold_lock");
  private static final String RENEW_SHARES = renew("leasehold_share");

  private static final String STAY =
      "UPDATE leasehold_queue SET expires = :now + t.life FROM "
          + TICKETS
          + """
          WHERE leasehold_queue.name = t.name AND leasehold_queue.lease_id = t.id
            AND epoch = :epoch AND expires > :now
          """;

  private static final String LOOK =
      """
      SELECT t.id,
        EXISTS (SELECT 1 FROM leasehold_lock l WHERE l.name = t.name AND l.lease_id = t.id
          AND l.epoch = :epoch AND l.expires > :now)
        OR EXISTS (SELECT 1 FROM leasehold_share s WHERE s.name = t.name AND s.lease_id = t.id
          AND s.epoch = :epoch AND s.expires > :now),
        coalesce((SELECT w.expires - :now FROM leasehold_queue w
          WHERE w.name = t.name AND w.lease_id = t.id AND w.epoch = :epoch), 0),
      """
          + ADMITTED
          + "FROM "
          + TICKETS;

  private static String renew(String table) {
    return "UPDATE "
        + table
        + " SET expires = :now + t.life FROM "
        + TICKETS
        + "WHERE "
        + table
        + ".name = t.name AND lease_id = t.id AND epoch = :epoch AND expires > :now"
        + " RETURNING lease_id, EXISTS (SELECT 1 FROM leasehold_queue w WHERE w.name = "
        + table
        + ".name AND w.lease_id <> "
        + table
        + ".lease_id AND w.epoch = :epoch AND w.expires > :now)";
  }

  /**
   * Gives the name's next number to the ticket if the name is free for it, it is the ticket's turn,
   * and its id is not known to be used up; in one statement.
   *
   * @param lifeNanos how long the ticket then holds the name alone
   */
  Optional<Taken> take(Session session, Ticket ticket, long lifeNanos) throws SQLException {
    return session
        .query(
            TAKE,
            SqliteRows.values(ticket, lifeNanos),
            row -> new Taken(row.getLong(1), row.getBoolean(2), row.getBoolean(3)))
        .stream()
        .findFirst();
  }

  /** Gives the ticket the last place, or keeps the place that it has. */
  void join(Session session, Ticket ticket, long lifeNanos) throws SQLException {
    session.update(JOIN, SqliteRows.values(ticket, lifeNanos));
  }

  /**
   * Renews those of the tickets that hold, in as few statements as possible.
   *
   * @return the lease ids of those renewed, and whether another ticket waits for their name
   */
  Map<String, Boolean> renew(Session session, Collection<Ticket> tickets) throws SQLException {
    Map<Ticket, Long> alone = new HashMap<>();
    Map<Ticket, Long> shared = new HashMap<>();
    tickets.forEach(
        ticket ->
            (ticket.mode() == LockMode.EXCLUSIVE ? alone : shared)
                .put(ticket, ticket.ttl().toNanos()));
    Map<String, Boolean> wanted = new HashMap<>();
    renew(session, RENEW, alone, wanted);
    renew(session, RENEW_SHARES, shared, wanted);
    return wanted;
  }

  private static void renew(
      Session session, String sql, Map<Ticket, Long> lives, Map<String, Boolean> wanted)
      throws SQLException {
    if (!lives.isEmpty()) {
      session.query(
          sql,
          Map.of("tickets", json(lives)),
          row -> wanted.put(row.getString(1), row.getBoolean(2)));
    }
  }

  /** Keeps the places of those of the tickets that have one, in as few statements as possible. */
  void stay(Session session, Map<Ticket, Long> lives) throws SQLException {
    session.update(STAY, Map.of("tickets", json(lives)));
  }

  /** What the database knows of each lease id, in as few statements as possible. */
  Map<String, State> look(Session session, Collection<Ticket> tickets) throws SQLException {
    Map<Ticket, Long> none = new HashMap<>();
    tickets.forEach(ticket -> none.put(ticket, 0L));
    Map<String, State> states = new HashMap<>();
    session.query(
        LOOK,
        Map.of("tickets", json(none)),
        row ->
            states.put(
                row.getString(1), new State(row.getBoolean(2), row.getLong(3), row.getBoolean(4))));
    return states;
  }

  private static String json(Map<Ticket, Long> lives) {
    StringBuilder json = new StringBuilder("[");
    lives.forEach(
        (ticket, life) -> {
          json.append(json.length() == 1 ? "" : ",").append("{\"name\":\"");
          appendEscaped(json, ticket.name());
          json.append("\",\"id\":\"").append(ticket.id());
          json.append("\",\"life\":").append(life);
          json.append(",\"mode\":\"").append(ticket.mode());
          json.append("\",\"permits\":").append(ticket.permits());
          json.append(",\"size\":").append(ticket.limit());
          json.append(",\"fair\":").append(ticket.fair() ? 1 : 0).append('}');
        });
    return json.append(']').toString();
  }

  private static void appendEscaped(StringBuilder json, String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < ' ') {
        json.append("\\u00").append(c < 16 ? "0" : "").append(Integer.toHexString(c));
      } else {
        json.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
  }
}
