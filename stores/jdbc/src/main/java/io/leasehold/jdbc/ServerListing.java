package io.leasehold.jdbc;

import io.leasehold.LockSnapshot;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Who holds and who waits on a database server, for people. */
final class ServerListing {
  /** Who was granted in one statement left a row among those who wait: it does not any more. */
  private static final String LIST =
      """
      SELECT name, 0 AS waits, fence AS number, lease_id, holder, 'EXCLUSIVE' AS mode, 1 AS permits,
        {now} - granted AS age, expires - {now} AS remaining
      FROM {lock} WHERE expires > {now} AND (:all = 1 OR name = :name)
      UNION ALL
      SELECT name, 0, fence, lease_id, holder, mode, permits, {now} - granted, expires - {now}
      FROM {share} WHERE expires > {now} AND mode <> 'WITHDRAWN' AND (:all = 1 OR name = :name)
      UNION ALL
      SELECT name, 1, place, lease_id, holder, mode, permits, {now} - since, 0
      FROM {queue} w WHERE expires > {now} AND (:all = 1 OR name = :name)
        AND NOT EXISTS (SELECT 1 FROM {lock} l WHERE l.name = w.name AND l.lease_id = w.lease_id)
      ORDER BY 1, 2, 3
      """;

  private ServerListing() {}

  static List<LockSnapshot> list(Session session, Optional<String> name) throws SQLException {
    return Listing.list(session, LIST, ChronoUnit.MICROS, name);
  }
}
