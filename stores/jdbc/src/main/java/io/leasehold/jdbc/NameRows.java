package io.leasehold.jdbc;

import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.jdbc.LeaseTable.Row;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** Makes the rows of names. */
final class NameRows {
  private static final String FLOOR = "SELECT floor FROM {meta} WHERE one = 1{keep}";

  private static final String NEW_NAME =
      """
      INSERT INTO {lock} (name, fence, lease_id, holder, granted, expires, others_until, wanted_until)
      VALUES (:name, :floor, '-', '-', 0, 0, 0, 0)
      """;

  private NameRows() {}

  /** The name's row, locked; made if it is not there. */
  static Row locked(Session session, String name, Dialect dialect) throws SQLException {
    Optional<Row> row = LeaseTable.lockedRow(session, name, dialect.lockClause());
    if (row.isEmpty()) {
      makeInTurn(session, name, dialect);
      row = LeaseTable.lockedRow(session, name, dialect.lockClause());
    }
    return row.orElseThrow(() -> new SQLException("the new row of a name is not there", "40001"));
  }

  /**
   * A sweep, and on some databases all others that make a row, lock what is read for it. A client
   * that waits for them must not take the name for busy: it has no holder.
   */
  private static void makeInTurn(Session session, String name, Dialect dialect)
      throws SQLException {
    try {
      make(session, name);
    } catch (SQLException e) {
      throw dialect.trouble(e) == Trouble.LOCKED
          ? new SQLException("the row of a new name waits for other new rows", "40001", e)
          : e;
    }
  }

  /** Makes the row of a name, free, with a number that is above all that it may have had before. */
  static void make(Session session, String name) throws SQLException {
    make(session, name, "");
  }

  /** The same; what is added to the statement says what becomes of a row that is there. */
  static void make(Session session, String name, String ifPresent) throws SQLException {
    long floor = session.query(FLOOR, Map.of(), row -> row.getLong(1)).get(0);
    session.update(NEW_NAME + ifPresent, Map.of("name", name, "floor", floor));
  }
}
