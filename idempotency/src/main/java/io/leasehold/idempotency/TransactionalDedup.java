package io.leasehold.idempotency;

import io.leasehold.jdbc.SqlTables;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The dedup table: a mark that is committed together with the work it belongs to, or not at all.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * if (dedup.firstTime(connection, message.id())) {
 *   book(connection, message);
 * }
 * connection.commit();
 * }</pre>
 *
 * <p>PostgreSQL, MySQL, MariaDB, H2 and SQLite; the tables must be there: {@link
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
   * In tables whose names begin with {@code leasehold}.
   *
   * @param scope what the keys are of, as the name of a topic
   * @param window how long a key is remembered
   */
  public static TransactionalDedup of(String scope, Duration window) {
    return new TransactionalDedup(scope, Idempotency.Builder.requireKeep(window), "leasehold");
  }

  /** In other tables: what their names begin with, after a schema and a dot if there is one. */
  public TransactionalDedup tables(String prefix) {
    return new TransactionalDedup(scope, window, prefix);
  }

  /**
   * Whether the key is seen for the first time. Waits for a transaction that has marked it and not
   * ended, as long as the connection lets it; if that is rolled back, this is the first.
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
   * As {@link #firstTime}, without waiting long for a twin that has not ended: a millisecond on
   * PostgreSQL and H2, a second on MySQL and MariaDB, which count so. SQLite has one writer at a
   * time, and waits as the connection says.
   *
   * @return empty if the twin is not yet known to be committed
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
