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
 * row of a name, on the connection of the application. Commit, rollback and the end of the
 * connection free them.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * transactionLocks.lock(connection, "ledger-7", Duration.ofSeconds(5));
 * …
 * connection.commit();
 * }</pre>
 *
 * <p>There is no ttl and no fencing token, and data in the same database needs none: the
 * transaction is the fence. It commits everything while it has the lock, or nothing. Data outside
 * the database is not protected. A transaction that hangs keeps the lock for as long as the server
 * allows; give it a timeout.
 *
 * <p>A lock locks one row, by its primary key, and waits in the queue of the server. Re-entrant
 * within a transaction. A name that is in use as a lease is a lock of another kind; use a different
 * name. Two transactions that lock two names in different orders deadlock, as with any rows; the
 * server ends one of them.
 *
 * <p>PostgreSQL, MySQL, MariaDB and H2, in the tables of the leases, which must exist. Immutable
 * and thread-safe; the connection is used by the calling thread alone.
 */
public final class TransactionLocks {
  private static final String LOCKED = " FOR UPDATE";
  private static final String PASSING = " FOR UPDATE SKIP LOCKED";
  private static final String AT_ONCE = " FOR UPDATE NOWAIT";
  private static final String EXISTS = "SELECT 1 FROM {lock} WHERE name = :name";

  /** The shortest time that a server can wait. */
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final CallersTransaction transaction;

  private TransactionLocks(String tables) {
    this.transaction = new CallersTransaction(tables);
  }

  /** Locks rows of tables whose names begin with {@code leasehold}. */
  public static TransactionLocks create() {
    return inTables(Tables.DEFAULT);
  }

  /**
   * Locks rows of other tables.
   *
   * @param prefix the prefix of the table names, with a schema and a dot before it if there is one
   */
  public static TransactionLocks inTables(String prefix) {
    return new TransactionLocks(prefix);
  }

  /**
   * Locks the name until the transaction ends. Waits at most {@code maxWait}, in whole seconds on
   * MySQL and MariaDB; an interrupt does not end the wait. After a failure the transaction still
   * stands, unless the server ended it (a deadlock).
   *
   * @throws LockTimeoutException if another transaction did not free the lock in time
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
          "lock '"
              + name
              + "': another transaction holds it, and did not free it within "
              + maxWait);
    }
  }

  /**
   * Locks the name until the transaction ends, if no other transaction has the lock; does not wait.
   * In both cases the transaction stands.
   *
   * @return whether the transaction has the lock
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

  /** The transaction that inserts the row has it locked; another one waits for it. */
  private static boolean lock(Session session, Dialect dialect, String name) throws SQLException {
    // A locking read of an absent row would lock the gap where it will be.
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
