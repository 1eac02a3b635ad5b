package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a call costs, counted by the server. */
class CallCountTest {
  private static final Fingerprint PRINT = Fingerprint.of("body");

  @TempDir Path dir;

  private static long count(Kind kind, String tables) throws SQLException {
    SqlServer server = Databases.server(kind);
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      if (kind == Kind.POSTGRESQL_15) {
        statement.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
      }
      String sql =
          kind == Kind.POSTGRESQL_15
              ? "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '%\""
                  + tables
                  + "\\_%' AND query NOT LIKE '%pg_stat_statements%'"
              : "SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'";
      try (ResultSet row = statement.executeQuery(sql)) {
        assertThat(row.next()).isTrue();
        return row.getLong(kind == Kind.POSTGRESQL_15 ? 1 : 2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void aFirstCallTakesTwoStatementsAndAReplayOne(Databases database) throws SQLException {
    Kind kind = Objects.requireNonNull(database.kind());
    String tables = Databases.newTables();
    // So that what opening does is over
    try (Idempotency first = Idempotency.connect(database.storeUrl(dir, tables));
        Idempotency other = Idempotency.connect(database.storeUrl(dir, tables))) {
      long before = count(kind, tables);
      for (int i = 0; i < 10; i++) {
        assertThat(first.execute("key " + i, PRINT, claim -> "result")).isEqualTo("result");
      }
      long between = count(kind, tables);
      assertThat(between - before).isEqualTo(20);
      for (int i = 0; i < 10; i++) {
        assertThat(first.execute("key " + i, PRINT, claim -> "again")).isEqualTo("result");
      }
      long replayed = count(kind, tables);
      assertThat(replayed - between).isEqualTo(10);
      for (int i = 0; i < 10; i++) {
        assertThat(other.execute("key " + i, PRINT, claim -> "again")).isEqualTo("result");
      }
      // MySQL has no statement that inserts and answers with a row
      assertThat(count(kind, tables) - replayed).isEqualTo(database == Databases.MYSQL ? 20 : 10);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void aBatchOfAPurgeTakesTwoStatements(Databases database) throws SQLException {
    Kind kind = Objects.requireNonNull(database.kind());
    String tables = Databases.newTables();
    try (Idempotency idempotency = Idempotency.connect(database.storeUrl(dir, tables))) {
      IdempotentOperation<String> brief =
          idempotency.operation("brief", Codec.TEXT).keep(Duration.ofMillis(1));
      for (int i = 0; i < 10; i++) {
        brief.execute(Key.of("key " + i), PRINT, claim -> "result");
      }
      long before = count(kind, tables);
      // One for the claims and one for the marks, in three batches: of 7, of 3, and of none
      assertThat(idempotency.purge(7)).isEqualTo(10);
      assertThat(count(kind, tables) - before).isEqualTo(6);
    }
  }
}
