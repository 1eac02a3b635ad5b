package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class VersionsTest {
  @TempDir Path dir;

  private final String table = Databases.newTables();
  private final Versions versions = Versions.of(table, "id", "version");

  private void make(Connection connection, int stock) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String quote = connection.getMetaData().getIdentifierQuoteString();
      statement.execute(
          "CREATE TABLE `TABLE_OF_TEST` (`id` INTEGER PRIMARY KEY, `version` BIGINT NOT NULL, `stock` BIGINT NOT NULL)"
              .replace("TABLE_OF_TEST", table)
              .replace("`", quote));
      statement.execute("INSERT INTO " + quote + table + quote + " VALUES (1, 7, " + stock + ")");
    }
  }

  private long[] row(Connection connection) throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT `version`, `stock` FROM `TABLE_OF_TEST`"
                    .replace("TABLE_OF_TEST", table)
                    .replace("`", quote))) {
      assertThat(row.next()).isTrue();
      return new long[] {row.getLong(1), row.getLong(2)};
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateOfAnotherVersionIsRefused(Databases database) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.url(dir))) {
      make(connection, 5);
      assertThat(versions.update(connection, 1, 7, Map.of("stock", 4))).isEqualTo(8);
      assertThatThrownBy(() -> versions.update(connection, 1, 7, Map.of("stock", 3)))
          .isInstanceOf(VersionConflictException.class);
      assertThatThrownBy(() -> versions.update(connection, 2, 7, Map.of("stock", 3)))
          .isInstanceOf(VersionConflictException.class);
      assertThat(row(connection)).containsExactly(8, 4);
      assertThat(versions.take(connection, 1, "stock", 3)).isTrue();
      assertThat(versions.take(connection, 1, "stock", 2)).isFalse();
      assertThat(row(connection)).containsExactly(9, 1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "SQLITE", mode = Mode.EXCLUDE)
  void noUpdateIsLost(Databases database) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Connection connection = DriverManager.getConnection(database.url(dir))) {
      make(connection, 0);
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(threads.submit(() -> addTen(database)));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(row(connection)).containsExactly(47, 40);
    } finally {
      threads.shutdown();
    }
  }

  private boolean addTen(Databases database) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.url(dir))) {
      for (int i = 0; i < 10; i++) {
        Versions.retrying(
            1000,
            Duration.ofMillis(1),
            () -> {
              long[] seen = row(connection);
              return versions.update(connection, 1, seen[0], Map.of("stock", seen[1] + 1));
            });
      }
      return true;
    }
  }

  @Test
  void retriesAreBounded() {
    List<Integer> tries = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Versions.retrying(
                    3,
                    Duration.ofNanos(1),
                    () -> {
                      tries.add(1);
                      throw new VersionConflictException("again");
                    }))
        .isInstanceOf(VersionConflictException.class);
    assertThat(tries).hasSize(3);
  }

  @Test
  void entityTags() {
    assertThat(Versions.etag(7)).isEqualTo("\"7\"");
    assertThat(Versions.status(null, true, 7)).isEqualTo(428);
    assertThat(Versions.status(" ", true, 7)).isEqualTo(428);
    assertThat(Versions.status("\"7\"", true, 7)).isEqualTo(200);
    assertThat(Versions.status("\"6\", \"7\"", true, 7)).isEqualTo(200);
    assertThat(Versions.status("*", true, 7)).isEqualTo(200);
    assertThat(Versions.status("*", false, 0)).isEqualTo(412);
    assertThat(Versions.status("\"6\"", true, 7)).isEqualTo(412);
    assertThat(Versions.status("W/\"7\"", true, 7)).isEqualTo(412);
    assertThat(Versions.status("7", true, 7)).isEqualTo(412);
  }

  @Test
  void namesAreQuoted() throws SQLException {
    Versions hostile = Versions.of("t\" --", "id", "version");
    try (Connection connection = DriverManager.getConnection(Databases.H2.url(dir))) {
      assertThatThrownBy(() -> hostile.update(connection, 1, 7, Map.of()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> versions.take(connection, 1, "stock", 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
