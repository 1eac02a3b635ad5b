package io.leasehold.jdbc;

import io.leasehold.spi.LeaseId;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rows that may still name a lease of ours that is over: left to who got its lock, or its release
 * was not answered. They keep no client out, but lists show them; so they are freed a little later,
 * unless another holder has written its own lease into them. Thread-safe.
 */
final class LeftRows {
  private static final String CLEAR =
      "UPDATE {lock} SET expires = 0 WHERE name = :name AND expires > {now}";

  private final ServerDatabase database;

  /** The last of each name: there is one row. */
  private final Map<String, LeaseId> byName = new ConcurrentHashMap<>();

  LeftRows(ServerDatabase database) {
    this.database = database;
  }

  /** Frees the row of a name whose lock the connection has: no client holds by it. */
  static void clear(Session session, String name) throws SQLException {
    session.update(CLEAR, Map.of("name", name));
  }

  void add(String name, LeaseId id) {
    byName.put(name, id);
  }

  boolean isEmpty() {
    return byName.isEmpty();
  }

  /**
   * Frees them.
   *
   * @throws io.leasehold.StoreException if not all could be freed
   */
  void free(Limit limit) {
    Map<String, LeaseId> asked = Map.copyOf(byName);
    if (asked.isEmpty()) {
      return;
    }
    Set<String> standing =
        database.call(
            limit, session -> RenewalTable.standing(session, List.copyOf(asked.keySet())));
    asked.forEach(
        (name, id) -> {
          if (standing.contains(id.toString())) {
            Map<String, Object> lease = Map.of("name", name, "id", id.toString());
            database.call(limit, session -> session.update(LeaseTable.FREE, lease));
          }
          byName.remove(name, id);
        });
  }
}
