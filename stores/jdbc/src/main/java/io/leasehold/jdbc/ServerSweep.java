package io.leasehold.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Removes rows that no client has used for an hour: of names among the few that come next in their
 * order, after raising the floor to the highest number removed, so that a name that comes back
 * starts above it. Who makes a row reads the floor under a lock that keeps this from happening
 * meanwhile.
 */
final class ServerSweep {
  /** How many rows one sweep looks at: twice as many as can appear between two sweeps. */
  private static final int ROWS = 2 * LeaseRowStore.GRANTS_A_SWEEP;

  private static final long FORGET = LeaseTable.micros(Duration.ofHours(1));

  /**
   * Looked for before: a deletion waits for every row that it passes. What was released has no end
   * of its own: an hour after it began.
   */
  private static final String LAPSED =
      " WHERE expires <= {now} - :forget AND {begin} <= {now} - :forget ORDER BY name LIMIT "
          + ROWS
          + " FOR UPDATE SKIP LOCKED";

  private static final String FORGET_ROWS = " WHERE name IN (:names) AND lease_id IN (:ids)";

  private static final String META =
      "SELECT swept FROM {meta} WHERE one = 1 FOR UPDATE SKIP LOCKED";

  private static final String IDLE =
      "expires <= {now} - :forget AND granted <= {now} - :forget AND others_until <= {now} - :forget"
          + " AND wanted_until <= {now} - :forget";

  private static final String NEXT =
      "SELECT name, CASE WHEN "
          + IDLE
          + " THEN 1 ELSE 0 END FROM {lock} WHERE name > :swept ORDER BY name LIMIT "
          + ROWS;

  private static final String LOCK =
      "SELECT name, fence FROM {lock} WHERE name IN (:names) AND "
          + IDLE
          + " FOR UPDATE SKIP LOCKED";

  private static final String DELETE = "DELETE FROM {lock} WHERE name IN (:names)";

  private static final String SWEPT =
      "UPDATE {meta} SET floor = CASE WHEN floor < :top THEN :top ELSE floor END, swept = :after"
          + " WHERE one = 1";

  /** Where it begins anew. */
  private static final String LOWEST = "\u0001";

  private record Named(String name, boolean idle) {}

  private record Numbered(String name, long fence) {}

  private ServerSweep() {}

  /** Whether it swept, and no other client is sweeping. */
  static boolean run(Session session) throws SQLException {
    Optional<String> swept =
        session.query(META, Map.of(), row -> row.getString(1)).stream().findFirst();
    if (swept.isEmpty()) {
      return false;
    }
    forget(session, "{queue}", "since");
    forget(session, "{share}", "granted");
    List<Named> next =
        session.query(
            NEXT,
            Map.of("swept", swept.get(), "forget", FORGET),
            row -> new Named(row.getString(1), row.getInt(2) > 0));
    long top = remove(session, next.stream().filter(Named::idle).map(Named::name).toList());
    String last = next.size() < ROWS ? LOWEST : next.get(next.size() - 1).name();
    session.update(SWEPT, Map.of("top", top, "after", last));
    return true;
  }

  private static void forget(Session session, String table, String begin) throws SQLException {
    List<String> names = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    session.query(
        "SELECT name, lease_id FROM " + table + LAPSED.replace("{begin}", begin),
        Map.of("forget", FORGET),
        row -> names.add(row.getString(1)) && ids.add(row.getString(2)));
    if (!names.isEmpty()) {
      session.update("DELETE FROM " + table + FORGET_ROWS, Map.of("names", names, "ids", ids));
    }
  }

  /** The highest number of those removed. */
  private static long remove(Session session, List<String> names) throws SQLException {
    if (names.isEmpty()) {
      return 0;
    }
    List<Numbered> idle =
        session.query(
            LOCK,
            Map.of("names", names, "forget", FORGET),
            row -> new Numbered(row.getString(1), row.getLong(2)));
    if (!idle.isEmpty()) {
      session.update(DELETE, Map.of("names", idle.stream().map(Numbered::name).toList()));
    }
    return idle.stream().mapToLong(Numbered::fence).max().orElse(0);
  }
}
