package io.leasehold.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Removes rows that no client has used for an hour: of names among the few that come next in their
 * order, after raising the floor to the highest number removed, so that a name that comes back
 * starts above it.
 */
final class SqliteSweep {
  /** How many rows one sweep looks at: twice as many as can appear between two sweeps. */
  static final int ROWS = 2 * LeaseRowStore.GRANTS_A_SWEEP;

  private static final long FORGET_NANOS = Duration.ofHours(1).toNanos();

  private static final List<String> FORGET =
      List.of(
          "DELETE FROM leasehold_queue WHERE epoch <> :epoch OR expires <= :now - :forget",
          "DELETE FROM leasehold_share WHERE epoch <> :epoch OR expires <= :now - :forget");

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

  private record Window(int rows, String last, long top) {}

  private SqliteSweep() {}

  static void run(Session session) throws SQLException {
    for (String forget : FORGET) {
      session.update(forget, Map.of("forget", FORGET_NANOS));
    }
    Window window =
        session
            .query(
                WINDOW,
                Map.of("rows", ROWS, "forget", FORGET_NANOS),
                row -> new Window(row.getInt(1), row.getString(2), row.getLong(3)))
            .get(0);
    session.update(SWEEP, Map.of("last", window.last(), "forget", FORGET_NANOS));
    String next = window.rows() < ROWS ? "" : window.last();
    session.update(SWEPT, Map.of("top", window.top(), "next", next));
  }
}
