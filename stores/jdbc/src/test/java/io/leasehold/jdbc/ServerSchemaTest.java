package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.spi.StoreUrl;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables: who makes them, and which are understood; on every database. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
class ServerSchemaTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final String tables = SqlDatabase.newTables();

  private static String with(SqlDatabase database, String parameters) {
    return database.url() + (database.url().contains("?") ? "&" : "?") + parameters;
  }

  @ParameterizedTest
  @EnumSource
  void withoutThemItSaysWhatToDo(SqlDatabase database) {
    assertThatThrownBy(
            () -> Leasehold.connect(with(database, "ddl=validate&table=" + tables)).close())
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.failure()).isEqualTo(StoreException.Failure.REFUSED))
        .hasMessageContaining("doctor --ddl")
        .hasMessageContaining("ddl=create")
        .hasMessageNotContaining("secret");
    try (LockClient client = Leasehold.connect(with(database, "ddl=none&table=" + tables))) {
      assertThatThrownBy(() -> client.lock("a").acquire(LONG))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("doctor --ddl");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPrintedIsEnough(SqlDatabase database) throws Exception {
    StoreUrl url = StoreUrl.parse(with(database, "table=" + tables));
    String ddl = new JdbcStoreProvider().ddl(url).orElseThrow();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String one : ddl.replaceAll("--[^\n]*", "").split(";", -1)) {
        if (!one.isBlank()) {
          statement.execute(one);
        }
      }
    }
    try (LockClient client = Leasehold.connect(with(database, "ddl=validate&table=" + tables));
        Lease lease = client.lock("a").acquire(LONG)) {
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyMakeThemAtOnce(SqlDatabase database) throws Exception {
    int clients = 4;
    CyclicBarrier together = new CyclicBarrier(clients);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        all.add(CompletableFuture.runAsync(() -> connect(database, together), threads));
      }
      for (CompletableFuture<Void> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String quote = connection.getMetaData().getIdentifierQuoteString();
      ResultSet rows = statement.executeQuery("SELECT 1 FROM " + quote + tables + "_meta" + quote);
      assertThat(rows.next()).as("a row").isTrue();
      assertThat(rows.next()).as("another row").isFalse();
    }
  }

  private void connect(SqlDatabase database, CyclicBarrier together) {
    try {
      together.await(30, TimeUnit.SECONDS);
      try (LockClient client = Leasehold.connect(database.storeUrl(tables))) {
        client.lock("a").acquire(LONG).release();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void newerTablesAreUsedAsLongAsTheyAllowIt(SqlDatabase database) throws Exception {
    Leasehold.connect(database.storeUrl(tables)).close();
    change(database, "ALTER TABLE %s_lock ADD region INTEGER DEFAULT 7 NOT NULL");
    change(database, "UPDATE %s_meta SET version = 2");
    try (LockClient client = Leasehold.connect(database.storeUrl(tables));
        Lease lease = client.lock("a").acquire(LONG)) {
      assertThat(lease.isHeld()).isTrue();
    }
    change(database, "UPDATE %s_meta SET version = 3, oldest = 2");
    assertThatThrownBy(() -> Leasehold.connect(database.storeUrl(tables)).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("version 3")
        .hasMessageContaining("upgrade");
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "H2"})
  void theyMayStandInASchema(SqlDatabase database) throws Exception {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA \"" + tables + "\"");
    }
    try (LockClient client = Leasehold.connect(database.storeUrl(tables + ".App_locks"));
        Lease lease = client.lock("a").acquire(LONG);
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      assertThat(lease.isHeld()).isTrue();
      assertThat(
              statement.executeQuery("SELECT * FROM \"" + tables + "\".\"App_locks_lock\"").next())
          .isTrue();
    }
  }

  private void change(SqlDatabase database, String sql) throws SQLException {
    String quote = database == SqlDatabase.MYSQL || database == SqlDatabase.MARIADB ? "`" : "\"";
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String table = sql.replaceAll(".*%s(_[a-z]+).*", "$1");
      statement.execute(sql.replace("%s" + table, quote + tables + table + quote));
    }
  }
}
