package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * The least that a lock of rows can cost on PostgreSQL, with one who waits: an update that takes it
 * if it is free, and one that frees it and tells who listens. Everything on the one connection of a
 * thread.
 *
 * @param statements its own
 */
record NotifyLock(Statements statements) implements Client {
  private static final String TAKE =
      "UPDATE bench_flag SET held = true WHERE name = ? AND NOT held";

  private static final String FREE =
      """
      WITH freed AS (UPDATE bench_flag SET held = false WHERE name = ? AND held RETURNING name)
      SELECT count(pg_notify('bench', name)) FROM freed
      """;

  /** A message is never lost, but the user who measures wants to see it fail. */
  private static final int PATIENCE_MILLIS = 30_000;

  NotifyLock {
    statements.update(
        "CREATE TABLE IF NOT EXISTS bench_flag (name VARCHAR(200) PRIMARY KEY, held boolean)");
  }

  @Override
  public Mutex mutex(String name) {
    statements.update("LISTEN bench");
    statements.update("INSERT INTO bench_flag VALUES (?, false) ON CONFLICT DO NOTHING", name);
    return new Mutex() {
      @Override
      public void lock() {
        while (statements.update(TAKE, name) == 0) {
          awaitMessage();
        }
      }

      @Override
      public void unlock() {
        statements.ask(FREE, name);
      }
    };
  }

  private void awaitMessage() {
    try {
      PGConnection connection = statements.connection().unwrap(PGConnection.class);
      if (connection.getNotifications(PATIENCE_MILLIS).length == 0) {
        throw new IllegalStateException("it was not freed");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
