package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Ticket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The statements on the lease row that every database understands as they are. */
final class LeaseRows {
  /** How many rows one sweep looks at: twice as many as can appear between two sweeps. */
  static final int SWEEP_ROWS = 2 * LeaseRowStore.GRANTS_A_SWEEP;

  private static final long FORGET_NANOS = Duration.ofHours(1).toNanos();

  private static final String CURRENT =
      """
      SELECT fence, lease_id, holder, CASE WHEN epoch = :epoch THEN expires - :now ELSE 0 END,
        EXISTS (SELECT 1 FROM leasehold_waiter w
          WHERE w.name = :name AND w.lease_id <> :id AND w.epoch = :epoch AND w.expires > :now)
      FROM leasehold_lock WHERE name = :name
      """;

  private static final String FREE =
      """
      UPDATE leasehold_lock SET expires = :now
      WHERE name = :name AND lease_id = :id AND epoch = :epoch AND expires > :now
      """;

  private static final String BREAK =
      """
      UPDATE leasehold_lock SET expires = :now
      WHERE name = :name AND fence = :number AND epoch = :epoch AND expires > :now
      """;

  private static final String LEAVE =
      "DELETE FROM leasehold_waiter WHERE name = :name AND lease_id = :id";

  private static final String LIST =
      """
      SELECT name, 0 AS waits, lease_id, holder, 'EXCLUSIVE' AS mode, fence,
        granted AS since, :now - granted AS age, expires - :now AS remaining
      FROM leasehold_lock WHERE epoch = :epoch AND expires > :now AND (:all = 1 OR name = :name)
      UNION ALL
      SELECT name, 1, lease_id, holder, mode, 0, since, :now - since, 0
      FROM leasehold_waiter WHERE epoch = :epoch AND expires > :now AND (:all = 1 OR name = :name)
      ORDER BY 1, 2, 7
      """;

  private static final String FORGET_WAITERS =
      "DELETE FROM leasehold_waiter WHERE epoch <> :epoch OR expires <= :now - :forget";

  private static final String WINDOW =
      """
      SELECT count(*), coalesce(max(name), ''),
        coalesce(max(CASE WHEN epoch <> :epoch OR expires <= :now - :forget THEN fence END), 0)
      FROM (SELECT * FROM leasehold_lock WHERE name > (SELECT swept FROM leasehold_meta)
        ORDER BY name LIMIT :rows) AS next
      """;

  private static final String SWEEP =
      """
      DELETE FROM leasehold_lock WHERE name > (SELECT swept FROM leasehold_meta) AND name <= :last
        AND (epoch <> :epoch OR expires <= :now - :forget)
      """;

  private static final String SWEPT =
      "UPDATE leasehold_meta SET floor = CASE WHEN floor < :top THEN :top ELSE floor END, swept ="
          + " :next";

  /** The row of a name. */
  record Current(long number, String leaseId, String holder, long remaining, boolean wanted) {
    boolean isLive() {
      return remaining > 0;
    }
  }

  /**
   * What is known of a lease id.
   *
   * @param last whether the name's last lease was this id's
   * @param live whether the name is held
   * @param waits whether this id left a waiter row
   * @param waitsFor how long that still counts; not positive if it does not
   */
  record State(boolean last, boolean live, boolean waits, long waitsFor) {}

  private LeaseRows() {}

  /** The row of a name that has one. */
  static Current current(Session session, Ticket ticket) throws SQLException {
    return session
        .query(
            CURRENT,
            nameAndId(ticket),
            row ->
                new Current(
                    row.getLong(1),
                    row.getString(2),
                    row.getString(3),
                    row.getLong(4),
                    row.getBoolean(5)))
        .get(0);
  }

  /** Frees the lease of this id; whether there was one. */
  static boolean free(Session session, Ticket ticket) throws SQLException {
    return session.update(FREE, nameAndId(ticket)) > 0;
  }

  /** Removes the waiter row of this id. */
  static void leave(Session session, Ticket ticket) throws SQLException {
    session.update(LEAVE, nameAndId(ticket));
  }

  static boolean breakLease(Session session, String name, long number) throws SQLException {
    return session.update(BREAK, Map.of("name", name, "number", number)) > 0;
  }

  private static Map<String, Object> nameAndId(Ticket ticket) {
    return Map.of("name", ticket.name(), "id", ticket.id().toString());
  }

  static List<LockSnapshot> list(Session session, Optional<String> name) throws SQLException {
    Map<String, LockOf> locks = new LinkedHashMap<>();
    session.query(
        LIST,
        Map.of("all", name.isEmpty() ? 1 : 0, "name", name.orElse("")),
        row -> {
          LockOf lock = locks.computeIfAbsent(row.getString("name"), LockOf::new);
          return row.getBoolean("waits")
              ? lock.waiters().add(waiter(row))
              : lock.holders().add(holder(row));
        });
    return locks.values().stream()
        .map(lock -> new LockSnapshot(lock.name(), lock.holders(), lock.waiters()))
        .toList();
  }

  /** Collects the rows of one name. */
  private record LockOf(
      String name, List<LockSnapshot.Holder> holders, List<LockSnapshot.Waiter> waiters) {
    LockOf(String name) {
      this(name, new ArrayList<>(), new ArrayList<>());
    }
  }

  private static LockSnapshot.Holder holder(ResultSet row) throws SQLException {
    return new LockSnapshot.Holder(
        row.getString("lease_id"),
        row.getString("holder"),
        LockMode.valueOf(row.getString("mode")),
        1,
        FenceNumber.token(row.getLong("fence"), 0),
        Duration.ofNanos(row.getLong("age")),
        Duration.ofNanos(row.getLong("remaining")));
  }

  private static LockSnapshot.Waiter waiter(ResultSet row) throws SQLException {
    return new LockSnapshot.Waiter(
        row.getString("lease_id"),
        row.getString("holder"),
        LockMode.valueOf(row.getString("mode")),
        Duration.ofNanos(row.getLong("age")));
  }

  /**
   * Removes rows that nobody has used for an hour, among the few that come next by name, and raises
   * the floor to the highest number removed: a name that comes back starts above it.
   */
  static void sweep(Session session) throws SQLException {
    session.update(FORGET_WAITERS, Map.of("forget", FORGET_NANOS));
    Window window =
        session
            .query(
                WINDOW,
                Map.of("rows", SWEEP_ROWS, "forget", FORGET_NANOS),
                row -> new Window(row.getInt(1), row.getString(2), row.getLong(3)))
            .get(0);
    session.update(SWEEP, Map.of("last", window.last(), "forget", FORGET_NANOS));
    String next = window.rows() < SWEEP_ROWS ? "" : window.last();
    session.update(SWEPT, Map.of("top", window.top(), "next", next));
  }

  private record Window(int rows, String last, long top) {}
}
