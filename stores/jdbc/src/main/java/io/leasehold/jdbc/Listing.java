package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.FenceNumber;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who holds and who waits, for people. */
final class Listing {
  private static final String LIST =
      """
      SELECT name, 0 AS waits, fence AS number, lease_id, holder, 'EXCLUSIVE' AS mode, 1 AS permits,
        :now - granted AS age, expires - :now AS remaining
      FROM leasehold_lock WHERE epoch = :epoch AND expires > :now AND (:all = 1 OR name = :name)
      UNION ALL
      SELECT name, 0, fence, lease_id, holder, mode, permits, :now - granted, expires - :now
      FROM leasehold_share WHERE epoch = :epoch AND expires > :now AND (:all = 1 OR name = :name)
      UNION ALL
      SELECT name, 1, place, lease_id, holder, mode, permits, :now - since, 0
      FROM leasehold_queue WHERE epoch = :epoch AND expires > :now AND (:all = 1 OR name = :name)
      ORDER BY 1, 2, 3
      """;

  private Listing() {}

  static List<LockSnapshot> list(Session session, Optional<String> name) throws SQLException {
    return list(session, LIST, ChronoUnit.NANOS, name);
  }

  /**
   * Reads a list.
   *
   * @param sql asks for the columns that {@link #LIST} has
   * @param unit of its times
   */
  static List<LockSnapshot> list(
      Session session, String sql, ChronoUnit unit, Optional<String> name) throws SQLException {
    Map<String, LockOf> locks = new LinkedHashMap<>();
    session.query(
        sql,
        Map.of("all", name.isEmpty() ? 1 : 0, "name", name.orElse("")),
        row -> {
          LockOf lock = locks.computeIfAbsent(row.getString("name"), LockOf::new);
          return row.getBoolean("waits")
              ? lock.waiters().add(waiter(row, unit))
              : lock.holders().add(holder(row, unit));
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

  private static LockSnapshot.Holder holder(ResultSet row, ChronoUnit unit) throws SQLException {
    return new LockSnapshot.Holder(
        row.getString("lease_id"),
        row.getString("holder"),
        LockMode.valueOf(row.getString("mode")),
        row.getInt("permits"),
        FenceNumber.token(row.getLong("number"), 0),
        Duration.of(Math.max(0, row.getLong("age")), unit),
        Duration.of(row.getLong("remaining"), unit));
  }

  private static LockSnapshot.Waiter waiter(ResultSet row, ChronoUnit unit) throws SQLException {
    return new LockSnapshot.Waiter(
        row.getString("lease_id"),
        row.getString("holder"),
        LockMode.valueOf(row.getString("mode")),
        Duration.of(Math.max(0, row.getLong("age")), unit));
  }
}
