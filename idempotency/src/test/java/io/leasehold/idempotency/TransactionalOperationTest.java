package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Claim, business writes and result in one transaction. */
class TransactionalOperationTest {
  private static final Fingerprint PRINT = Fingerprint.of("body");

  @TempDir Path dir;

  private final String tables = Databases.newTables();

  private TransactionalOperation<String> operation(Databases database) throws SQLException {
    IdempotencyStores.open(database.storeUrl(dir, tables)).close();
    try (Connection connection = database.begin(dir)) {
      execute(connection, "CREATE TABLE " + tables + "_effect (line VARCHAR(100))");
      connection.commit();
    }
    return TransactionalOperation.of("order", Codec.TEXT).tables(database.prefix(tables));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String insert(Connection connection, String line) throws SQLException {
    execute(connection, "INSERT INTO " + tables + "_effect VALUES ('" + line + "')");
    return line;
  }

  private long effects(Databases database) throws SQLException {
    try (Connection connection = database.begin(dir);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + tables + "_effect")) {
      assertThat(row.next()).isTrue();
      return row.getLong(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void commitsAllOrNothing(Databases database) throws Exception {
    TransactionalOperation<String> order = operation(database);
    try (Connection connection = database.begin(dir)) {
      assertThat(order.execute(connection, Key.of("k"), PRINT, claim -> insert(connection, "lost")))
          .isEqualTo("lost");
      connection.rollback();
      assertThat(order.execute(connection, Key.of("k"), PRINT, claim -> insert(connection, "kept")))
          .isEqualTo("kept");
      connection.commit();
    }
    try (Connection connection = database.begin(dir)) {
      assertThat(
              order.execute(connection, Key.of("k"), PRINT, claim -> insert(connection, "again")))
          .isEqualTo("kept");
      assertThatThrownBy(
              () -> order.execute(connection, Key.of("k"), Fingerprint.none(), claim -> "other"))
          .isInstanceOf(FingerprintMismatchException.class);
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> order.execute(connection, Key.of("x"), PRINT, claim -> "no"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
    }
    assertThat(effects(database)).isEqualTo(1);
    // The same keys outside of a transaction
    try (Idempotency outside = Idempotency.connect(database.storeUrl(dir, tables))) {
      assertThat(
              outside
                  .operation("order", Codec.TEXT)
                  .execute(Key.of("k"), PRINT, claim -> "outside"))
          .isEqualTo("kept");
    }
  }

  /** Also where the other transaction already reads a snapshot. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void aTwinWaitsAndReplays(Databases database) throws Exception {
    TransactionalOperation<String> order = operation(database);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection first = database.begin(dir);
        Connection second = database.begin(dir)) {
      execute(second, "SELECT 1 FROM " + tables + "_effect");
      CountDownLatch begun = new CountDownLatch(1);
      Callable<String> twin =
          () -> {
            begun.countDown();
            return order.execute(second, Key.of("k"), PRINT, claim -> insert(second, "twin"));
          };
      String line = order.execute(first, Key.of("k"), PRINT, claim -> insert(first, "first"));
      Future<String> waiting = thread.submit(twin);
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
      first.commit();
      assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(line);
      second.commit();
    } finally {
      thread.shutdown();
    }
    assertThat(effects(database)).isEqualTo(1);
  }
}
