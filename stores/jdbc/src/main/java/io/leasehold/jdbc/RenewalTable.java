package io.leasehold.jdbc;

import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Ticket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The statements on the rows of many names at once. */
final class RenewalTable {
  /** How often rows that are locked are tried. */
  static final int ROUNDS = 5;

  private static final String WANTED =
      """
      CASE WHEN l.wanted_until > {now} AND EXISTS (SELECT 1 FROM {queue} w WHERE w.name = l.name
        AND w.lease_id <> l.lease_id AND w.expires > {now}) THEN 1 ELSE 0 END""";

  private static final String ALONE =
      "SELECT l.lease_id, "
          + WANTED
          + " FROM {lock} l WHERE l.name IN (:names) AND l.expires > {now}";

  private static final String UNLOCKED = " FOR UPDATE SKIP LOCKED";

  private static final String NAMES = "SELECT name FROM {lock} WHERE name IN (:names)" + UNLOCKED;

  private static final String SHARES =
      """
      SELECT s.lease_id, CASE WHEN l.wanted_until > {now} THEN 1 ELSE 0 END
      FROM {share} s JOIN {lock} l ON l.name = s.name
      WHERE s.name IN (:names) AND s.expires > {now} AND s.mode <> 'WITHDRAWN'
      """;

  private static final String RENEW_ALONE =
      "UPDATE {lock} SET expires = {now} + :life WHERE name IN (:names)";

  /** But for what was released meanwhile, which does not need the name's row for that. */
  private static final String RENEW_SHARES =
      """
      UPDATE {share} SET expires = {now} + :life
      WHERE name IN (:names) AND lease_id IN (:ids) AND expires > 0
      """;

  private static final String WAITING =
      "SELECT lease_id FROM {queue} WHERE name IN (:names) AND expires > {now}";

  private static final String STANDING =
      "SELECT lease_id FROM {lock} WHERE name IN (:names) AND expires > {now}";

  private static final int CHUNK = 1024;

  /** A live lease. */
  record Held(String leaseId, boolean wanted) {}

  private RenewalTable() {}

  /** Who holds alone. */
  static List<Held> alone(Session session, List<String> names) throws SQLException {
    return session.query(ALONE, Map.of("names", names), RenewalTable::held);
  }

  /** Who holds alone, where no other transaction has locked the row; it is locked from now on. */
  static List<Held> lockAlone(Session session, List<String> names) throws SQLException {
    return session.query(ALONE + UNLOCKED, Map.of("names", names), RenewalTable::held);
  }

  /** Locks the rows of those names that no other transaction has locked. */
  static List<String> lockNames(Session session, List<String> names) throws SQLException {
    return session.query(NAMES, Map.of("names", names), row -> row.getString(1));
  }

  static List<Held> shares(Session session, List<String> names) throws SQLException {
    return session.query(SHARES, Map.of("names", names), RenewalTable::held);
  }

  /** The ids of the exclusive leases of these names. */
  static Set<String> standing(Session session, List<String> names) throws SQLException {
    Set<String> standing = new HashSet<>();
    for (int from = 0; from < names.size(); from += CHUNK) {
      List<String> chunk = names.subList(from, Math.min(names.size(), from + CHUNK));
      standing.addAll(session.query(STANDING, Map.of("names", chunk), row -> row.getString(1)));
    }
    return standing;
  }

  private static Held held(ResultSet row) throws SQLException {
    return new Held(row.getString(1), row.getInt(2) > 0);
  }

  /** Renews exclusive leases of one ttl, whose rows are locked. */
  static void renewAlone(Session session, List<Ticket> tickets) throws SQLException {
    long life = LeaseTable.life(tickets.get(0));
    session.update(RENEW_ALONE, Map.of("names", LeaseTable.names(tickets), "life", life));
  }

  /** Renews other leases of one ttl, whose names' rows are locked. */
  static void renewShares(Session session, List<Ticket> tickets) throws SQLException {
    session.update(
        RENEW_SHARES,
        Map.of(
            "names", LeaseTable.names(tickets),
            "ids", tickets.stream().map(ticket -> ticket.id().toString()).toList(),
            "life", LeaseTable.life(tickets.get(0))));
  }

  /** The rows of names, by name. */
  static Map<String, Row> rows(Session session, List<String> names) throws SQLException {
    return LeaseTable.rows(session, names).stream()
        .collect(Collectors.toMap(Row::name, row -> row));
  }

  /** The ids of those who wait. */
  static Set<String> waiting(Session session, List<String> names) throws SQLException {
    return Set.copyOf(session.query(WAITING, Map.of("names", names), row -> row.getString(1)));
  }
}
