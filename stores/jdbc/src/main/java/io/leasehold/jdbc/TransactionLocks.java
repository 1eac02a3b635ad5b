package io.leasehold.jdbc;

import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.support.LockNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Locks that last as long as a transaction of the application: {@code SELECT … FOR UPDATE} on the
 * row of a name, on the application's own connection. Freed by commit, by rollback, and by the end
 * of the connection.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * transactionLocks.lock(connection, "ledger-7", Duration.ofSeconds(5));
 * …
 * connection.commit();
 * }</pre>
 *
 * <p>There is no ttl and no fencing token, and none is needed for data in the same database: the
 * transaction is the fence. Either all of it is committed while it has the lock, or nothing is.
 * Nothing outside the database is protected. A transaction that hangs keeps the lock for as long as
 * the server lets it; give it a timeout.
 *
 * <p>It locks one record, by its primary key, and waits in the server's own queue. Re-entrant
 * within a transaction. A name that is in use as a lease is a lock of another kind; use other
 * names. Two transactions that lock two names in different orders deadlock, as with any rows; the
 * server ends one of them.
 *
 * <p>PostgreSQL, MySQL, MariaDB and H2, in the tables of the leases, which must be there. Immutable
 * and thread-safe; the connection is used by the calling thread alone.
 */
public final class TransactionLocks {
  private static final String LOCKED = " FOR UPDATE";
  private static final String PASSING = " FOR UPDATE SKIP LOCKED";
  private static final String AT_ONCE = " FOR UPDATE NOWAIT";
  private static final String EXISTS = "SELECT 1 FROM {lock} WHERE name = :name";

  /** As short as a server can wait. */
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final CallersTransaction transaction;

  private TransactionLocks(String tables) {
    this.transaction = new CallersTransaction(tables);
  }

  /** In tables whose names begin with {@code leasehold}. */
  public static TransactionLocks create() {
    return inTables(Tables.DEFAULT);
  }

  /**
   * In other tables.
   *
   * @param prefix what their names begin with, after a schema and a dot if there is one
   */
  public static TransactionLocks inTables(String prefix) {
    return new TransactionLocks(prefix);
  }

  /**
   * Locks the name until the transaction ends. Waits for {@code maxWait} at most, to whole seconds
   * on MySQL and MariaDB; an interrupt does not end the wait. After a failure the transaction still
   * stands, but for one that the server ended itself (a deadlock).
   *
   * @throws LockTimeoutException if another transaction has it all the time
   * @throws LockKindException if the name is held as a lease
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws io.leasehold.StoreException if the database fails
   */
  public void lock(Connection connection, String name, Duration maxWait) {
    LockNames.require(name);
    boolean locked =
        transaction.run(
            connection,
            (session, dialect) ->
                dialect.waitFor(session, maxWait, () -> lock(session, dialect, name)));
    if (!locked) {
      throw new LockTimeoutException(
          "lock '" + name + "': another transaction has it, and still had it after " + maxWait);
    }
  }

  /**
   * Locks the name until the transaction ends, if no other transaction has it; waits for nobody.
   * Whatever the answer, the transaction goes on.
   *
   * @return whether it is locked
   * @throws LockKindException if the name is held as a lease
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws io.leasehold.StoreException if the database fails
   */
  public boolean tryLock(Connection connection, String name) {
    LockNames.require(name);
    return transaction.run(connection, (session, dialect) -> tryLock(session, dialect, name));
  }

  private static boolean tryLock(Session session, Dialect dialect, String name)
      throws SQLException {
    if (isKnown(session, name)) {
      try {
        String clause = dialect.passesOverLocked() ? PASSING : AT_ONCE;
        Optional<Row> row = LeaseTable.lockedRow(session, name, clause);
        if (row.isPresent()) {
          return requireNoLease(session, name, row.get());
        }
      } catch (SQLException e) {
        if (dialect.trouble(e) != Dialect.Trouble.LOCKED) {
          throw e;
        }
        return false;
      }
      if (dialect.passesOverLocked() && isKnown(session, name)) {
        return false;
      }
    }
    return dialect.waitFor(session, MOMENT, () -> lock(session, dialect, name));
  }

  /** Who makes the row has it locked, or waits for who has. */
  private static boolean lock(Session session, Dialect dialect, String name) throws SQLException {
    // Not looked for under a lock if it is not there: that would lock the gap where it will be.
    Optional<Row> row =
        isKnown(session, name) ? LeaseTable.lockedRow(session, name, LOCKED) : Optional.empty();
    if (row.isEmpty()) {
      // Also where a snapshot still knows a row that has been swept.
      dialect.newNameIfAbsent(session, name);
      row = LeaseTable.lockedRow(session, name, LOCKED);
    }
    return requireNoLease(
        session,
        name,
        row.orElseThrow(() -> new SQLException("the row of a name is not there", "40001")));
  }

  private static boolean isKnown(Session session, String name) throws SQLException {
    return !session.query(EXISTS, Map.of("name", name), row -> row.getInt(1)).isEmpty();
  }

  private static boolean requireNoLease(Session session, String name, Row row) throws SQLException {
    boolean shared =
        row.others() > 0
            && LeaseTable.others(session, List.of(name)).stream()
                .anyMatch(other -> !other.waits() && other.isLive() && !other.isWithdrawn());
    if (row.remaining() > 0 || shared) {
      throw new LockKindException(
          "lock '"
              + name
              + "' is held as a lease: a lock of a transaction is a lock of another kind; use"
              + " another name for it");
    }
    return true;
  }
}
