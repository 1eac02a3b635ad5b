package io.leasehold.idempotency;

import io.leasehold.jdbc.SqlTables;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A table of seen keys: the transaction of the work commits its mark too, or neither.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * if (dedup.firstTime(connection, message.id())) {
 *   book(connection, message);
 * }
 * connection.commit();
 * }</pre>
 *
 * <p>PostgreSQL, MySQL, MariaDB, H2 and SQLite; the tables must exist: {@link
 * IdempotencyStores#ddl}. Immutable and thread-safe; the connection is used by the calling thread
 * alone.
 */
public final class TransactionalDedup {
  private final String scope;
  private final Duration window;
  private final String tables;

  private TransactionalDedup(String scope, Duration window, String tables) {
    this.scope = scope;
    this.window = window;
    this.tables = tables;
  }

  /**
   * Recognizes the duplicates of one scope, in tables whose names begin with {@code leasehold}.
   *
   * @param scope the name of the set of keys, as the name of a topic
   * @param window how long the database remembers a key
   */
  public static TransactionalDedup of(String scope, Duration window) {
    return new TransactionalDedup(scope, Idempotency.Builder.requireKeep(window), "leasehold");
  }

  /** The same, in tables with this prefix, with a schema and a dot before it if there is one. */
  public TransactionalDedup tables(String prefix) {
    return new TransactionalDedup(scope, window, prefix);
  }

  /**
   * Whether the key is new. Waits for a transaction that has marked it and not ended, up to the
   * lock timeout of the connection; if that one rolls back, the key is new.
   *
   * @throws IllegalStateException if the connection is in auto-commit mode
   * @throws io.leasehold.StoreException if the database fails; roll back
   */
  public boolean firstTime(Connection connection, String key) {
    String scoped = scoped(key);
    return SqlTables.inTransaction(
        connection, tables, statements -> new SqlClaims(statements).mark(scoped, window));
  }

  /**
   * As {@link #firstTime}, but waits only briefly for another transaction that has marked the key
   * and not ended: a millisecond on PostgreSQL and H2, a second on MySQL and MariaDB, whose
   * timeouts are whole seconds. SQLite has one writer at a time, and waits for the busy timeout of
   * the connection.
   *
   * @return empty if the other transaction has not ended
   */
  public Optional<Boolean> tryFirstTime(Connection connection, String key) {
    String scoped = scoped(key);
    AtomicBoolean first = new AtomicBoolean();
    boolean told =
        SqlTables.inTransaction(
            connection,
            tables,
            statements ->
                statements.waitFor(
                    Duration.ofMillis(1),
                    waiting -> {
                      first.set(new SqlClaims(waiting).mark(scoped, window));
                      return true;
                    }));
    return told ? Optional.of(first.get()) : Optional.empty();
  }

  private String scoped(String key) {
    return Key.of(scope, key).scoped("dedup", false);
  }
}
