package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The lease row in SQLite, 3.37 or newer. Lists of tickets are passed as JSON, so that one
 * statement does for all.
 */
final class SqliteDialect implements Dialect {
  private static final String TAKE =
      """
      INSERT INTO leasehold_lock (name, fence, lease_id, holder, epoch, granted, expires)
      VALUES (:name, (SELECT floor + 1 FROM leasehold_meta), :id, :holder, :epoch, :now,
        :now + :ttl)
      ON CONFLICT (name) DO UPDATE SET fence = fence + 1, lease_id = excluded.lease_id,
        holder = excluded.holder, epoch = excluded.epoch, granted = excluded.granted, expires = excluded.expires
      WHERE (leasehold_lock.epoch <> excluded.epoch OR leasehold_lock.expires <= excluded.granted)
        AND leasehold_lock.lease_id <> excluded.lease_id
      RETURNING fence,
        EXISTS (SELECT 1 FROM leasehold_waiter w
          WHERE w.name = :name AND w.lease_id <> :id AND w.epoch = :epoch AND w.expires > :now),
        EXISTS (SELECT 1 FROM leasehold_waiter w WHERE w.name = :name AND w.lease_id = :id)
      """;

  private static final String JOIN =
      """
      INSERT INTO leasehold_waiter
        (name, lease_id, holder, mode, permits, fair, epoch, since, expires)
      VALUES (:name, :id, :holder, :mode, :permits, :fair, :epoch, :now, :now + :life)
      ON CONFLICT (name, lease_id) DO UPDATE SET epoch = excluded.epoch, expires = excluded.expires
      """;

  private static final String TICKETS =
      "(SELECT value ->> 'name' AS name, value ->> 'id' AS id, value ->> 'life' AS life FROM"
          + " json_each(:tickets)) t ";

  private static final String RENEW =
      "UPDATE leasehold_lock SET expires = :now + t.life FROM "
          + TICKETS
          + """
          WHERE leasehold_lock.name = t.name AND lease_id = t.id AND epoch = :epoch AND expires > :now
          RETURNING lease_id, EXISTS (SELECT 1 FROM leasehold_waiter w WHERE w.name = leasehold_lock.name
            AND w.lease_id <> leasehold_lock.lease_id AND w.epoch = :epoch AND w.expires > :now)
          """;

  private static final String STAY =
      "UPDATE leasehold_waiter SET expires = :now + t.life, epoch = :epoch FROM "
          + TICKETS
          + "WHERE leasehold_waiter.name = t.name AND leasehold_waiter.lease_id = t.id";

  private static final String LOOK =
      "SELECT t.id, l.lease_id = t.id, l.epoch = :epoch AND l.expires > :now, w.lease_id IS NOT"
          + " NULL, iif(w.epoch = :epoch, w.expires - :now, 0) FROM "
          + TICKETS
          + """
          LEFT JOIN leasehold_lock l ON l.name = t.name
          LEFT JOIN leasehold_waiter w ON w.name = t.name AND w.lease_id = t.id
          """;

  @Override
  public Optional<Taken> take(Session session, Ticket ticket) throws SQLException {
    List<Taken> taken =
        session.query(
            TAKE,
            Map.of(
                "name",
                ticket.name(),
                "id",
                ticket.id().toString(),
                "holder",
                ticket.holder(),
                "ttl",
                ticket.ttl().toNanos()),
            row -> new Taken(row.getLong(1), row.getBoolean(2), row.getBoolean(3)));
    return taken.stream().findFirst();
  }

  @Override
  public void join(Session session, Ticket ticket, long lifeNanos) throws SQLException {
    session.update(
        JOIN,
        Map.of(
            "name", ticket.name(),
            "id", ticket.id().toString(),
            "holder", ticket.holder(),
            "mode", ticket.mode().name(),
            "permits", ticket.permits(),
            "fair", ticket.fair() ? 1 : 0,
            "life", lifeNanos));
  }

  @Override
  public Map<String, Boolean> renew(Session session, Collection<Ticket> tickets)
      throws SQLException {
    Map<Ticket, Long> lives = new HashMap<>();
    tickets.forEach(ticket -> lives.put(ticket, ticket.ttl().toNanos()));
    Map<String, Boolean> wanted = new HashMap<>();
    session.query(
        RENEW,
        Map.of("tickets", json(lives)),
        row -> wanted.put(row.getString(1), row.getBoolean(2)));
    return wanted;
  }

  @Override
  public void stay(Session session, Map<Ticket, Long> lives) throws SQLException {
    session.update(STAY, Map.of("tickets", json(lives)));
  }

  @Override
  public Map<String, LeaseRows.State> look(Session session, Collection<Ticket> tickets)
      throws SQLException {
    Map<Ticket, Long> none = new HashMap<>();
    tickets.forEach(ticket -> none.put(ticket, 0L));
    Map<String, LeaseRows.State> states = new HashMap<>();
    session.query(
        LOOK,
        Map.of("tickets", json(none)),
        row ->
            states.put(
                row.getString(1),
                new LeaseRows.State(
                    row.getBoolean(2), row.getBoolean(3), row.getBoolean(4), row.getLong(5))));
    return states;
  }

  private static String json(Map<Ticket, Long> lives) {
    StringBuilder json = new StringBuilder("[");
    lives.forEach(
        (ticket, life) -> {
          json.append(json.length() == 1 ? "" : ",").append("{\"name\":\"");
          appendEscaped(json, ticket.name());
          json.append("\",\"id\":\"")
              .append(ticket.id())
              .append("\",\"life\":")
              .append(life)
              .append('}');
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
