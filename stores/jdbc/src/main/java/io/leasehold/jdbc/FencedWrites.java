package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.spi.FenceNumber;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Data that refuses the writes of a holder whose lease is over: a process that was paused for
 * longer than its ttl wakes up, believes that it holds the lock, and writes. No lock can keep it
 * from that; a transaction can.
 *
 * <p>{@link #guard} is for data in the database of the locks, {@link #raise} for any database.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * fencedWrites.guard(connection, lease);
 * update(connection, invoice);
 * connection.commit();                  // then release the lease
 * }</pre>
 *
 * <p>PostgreSQL, MySQL, MariaDB and H2. Immutable and thread-safe; the connection is used by the
 * calling thread alone.
 */
public final class FencedWrites {
  /** Whoever is granted the name next must write this row, and waits for the transaction. */
  private static final String HOLDS_ALONE =
      """
      SELECT fence FROM {lock} WHERE name = :name AND lease_id = :id AND fence = :number
        AND expires > {now}{keep}""";

  /** The same of a lease that is not in this row. */
  private static final String NAME = "SELECT fence FROM {lock} WHERE name = :name{keep}";

  /** Asked once the name's row is kept, and not of a snapshot that may be older. */
  private static final String HOLDS_SHARED =
      """
      SELECT fence FROM {share} WHERE name = :name AND lease_id = :id AND fence = :number
        AND mode <> 'WITHDRAWN' AND expires > {now}{keep}""";

  private final CallersTransaction transaction;

  private FencedWrites(String tables) {
    this.transaction = new CallersTransaction(tables);
  }

  /** For leases in tables whose names begin with {@code leasehold}. */
  public static FencedWrites create() {
    return inTables(Tables.DEFAULT);
  }

  /**
   * For leases in other tables.
   *
   * @param prefix what their names begin with, after a schema and a dot if there is one
   */
  public static FencedWrites inTables(String prefix) {
    return new FencedWrites(prefix);
  }

  /**
   * Makes sure, inside the caller's transaction, that the lease still holds and that nobody who is
   * granted the lock later can commit before this transaction ends: the row of the lock is kept
   * from being changed until then. So what the transaction writes, it writes as the holder, however
   * late it commits.
   *
   * <p>Waits for whoever is changing the row at this moment, as long as the connection lets it. The
   * lease is not renewed while it is guarded: keep the transaction shorter than the ttl, else the
   * lease is lost when the ttl is over, which does not harm this transaction. Release after the
   * commit: before it a release would wait for it. Guard first in the transaction where it reads a
   * snapshot (PostgreSQL, repeatable read) or has one time (H2).
   *
   * @throws LeaseLostException if the lease is over; roll back
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws io.leasehold.StoreException if the database fails
   */
  public void guard(Connection connection, Lease lease) {
    Map<String, Object> values =
        Map.of(
            "name", lease.name(),
            "id", lease.leaseId(),
            "number", FenceNumber.number(lease.fencingToken()));
    boolean holds =
        transaction.run(
            connection,
            (session, dialect) ->
                isThere(session, HOLDS_ALONE, values)
                    || (isThere(session, NAME, values) && isThere(session, HOLDS_SHARED, values)));
    if (!holds) {
      throw new LeaseLostException(
          "lock '"
              + lease.name()
              + "': the lease "
              + lease.leaseId()
              + " is over, as the database says; roll back, for somebody else may hold the lock");
    }
  }

  private static boolean isThere(Session session, String sql, Map<String, Object> values)
      throws SQLException {
    return !session.query(sql, values, row -> row.getLong(1)).isEmpty();
  }

  /**
   * Raises the token that a row of the application remembers, in one statement: {@code UPDATE table
   * SET tokenColumn = token WHERE keyColumn = key AND tokenColumn <= token}. Do it in the
   * transaction that then writes, or write the other columns under the same condition. A holder may
   * write more than once, so its own token is not refused. The column must not be null.
   *
   * @param table its name as the database spells it, after a schema and a dot if there is one;
   *     quoted here
   * @param token the lease's {@link Lease#fencingToken()}
   * @return false if the row remembers a higher token, so that somebody was granted the lock later;
   *     also if there is no such row
   * @throws SQLException if the database fails
   */
  public static boolean raise(
      Connection connection,
      String table,
      String keyColumn,
      Object key,
      String tokenColumn,
      long token)
      throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    String column = quoted(tokenColumn, quote);
    String sql =
        "UPDATE "
            + quoted(table, quote)
            + " SET "
            + column
            + " = ? WHERE "
            + quoted(keyColumn, quote)
            + " = ? AND "
            + column
            + " <= ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, token);
      statement.setObject(2, key);
      statement.setLong(3, token);
      return statement.executeUpdate() > 0;
    }
  }

  private static String quoted(String name, String quote) {
    if (name.isBlank() || name.contains(quote)) {
      throw new IllegalArgumentException("not the name of a table or column: " + name);
    }
    return Arrays.stream(name.split("\\.", -1))
        .map(part -> quote + part + quote)
        .collect(Collectors.joining("."));
  }
}
