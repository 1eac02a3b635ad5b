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
 * Makes data refuse the writes of a holder whose lease has ended: a process that was paused for
 * longer than its ttl wakes up, believes that it holds the lock, and writes. No lock can prevent
 * that; a transaction can.
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
  /** The next holder of the name must write this row, so it waits for the transaction. */
  private static final String HOLDS_ALONE =
      """
      SELECT fence FROM {lock} WHERE name = :name AND lease_id = :id AND fence = :number
        AND expires > {now}{keep}""";

  /** The row of the name, for a lease that is in the table of shares. */
  private static final String NAME = "SELECT fence FROM {lock} WHERE name = :name{keep}";

  /** Runs once the row of the name is locked, and does not read an older snapshot. */
  private static final String HOLDS_SHARED =
      """
      SELECT fence FROM {share} WHERE name = :name AND lease_id = :id AND fence = :number
        AND mode <> 'WITHDRAWN' AND expires > {now}{keep}""";

  private final CallersTransaction transaction;

  private FencedWrites(String tables) {
    this.transaction = new CallersTransaction(tables);
  }

  /** Guards leases in tables whose names begin with {@code leasehold}. */
  public static FencedWrites create() {
    return inTables(Tables.DEFAULT);
  }

  /**
   * Guards leases in other tables.
   *
   * @param prefix the prefix of the table names, with a schema and a dot before it if there is one
   */
  public static FencedWrites inTables(String prefix) {
    return new FencedWrites(prefix);
  }

  /**
   * Ensures, inside the caller's transaction, that the lease still holds, and that no later holder
   * of the lock can commit before this transaction ends: the transaction keeps the row of the lock
   * locked until then. So the transaction writes as the holder, however late it commits.
   *
   * <p>Waits for another transaction that is changing the row, up to the lock timeout of the
   * connection. The lease is not renewed while it is guarded: keep the transaction shorter than the
   * ttl, or the lease is lost when the ttl ends; that does not harm this transaction. Release after
   * the commit: an earlier release would wait for it. If the transaction reads a snapshot
   * (PostgreSQL, repeatable read) or has one time (H2), guard before any other statement.
   *
   * @throws LeaseLostException if the lease has ended; roll back
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
              + " has ended in the database; roll back, because another client may hold the lock");
    }
  }

  private static boolean isThere(Session session, String sql, Map<String, Object> values)
      throws SQLException {
    return !session.query(sql, values, row -> row.getLong(1)).isEmpty();
  }

  /**
   * Raises the fencing token in a row of the application, in one statement: {@code UPDATE table SET
   * tokenColumn = token WHERE keyColumn = key AND tokenColumn <= token}. Call it in the transaction
   * that then writes, or write the other columns under the same condition. A holder may write more
   * than once, so an equal token is accepted. The column must not be null.
   *
   * @param table the name as the database spells it, with a schema and a dot before it if there is
   *     one; this method quotes it
   * @param token the lease's {@link Lease#fencingToken()}
   * @return false if the row has a higher token, because another holder acquired the lock later;
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
