package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.SqlServer.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 10, unit = TimeUnit.MINUTES) // a first run fetches the servers
class SqlServerTest {
  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static String ask(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      return ask(connection, sql);
    }
  }

  private static String version(Kind kind) {
    return kind.program().substring(kind.program().indexOf('-') + 1) + ".";
  }

  @ParameterizedTest
  @EnumSource
  void startsAnswersAndEndsWithoutTrace(Kind kind) throws Exception {
    SqlServer server = SqlServer.of(kind).start();
    long pid = server.pid();
    execute(server.jdbcUrl(), "CREATE TABLE t (v VARCHAR(9))", "INSERT INTO t VALUES ('é')");
    assertThat(ask(server.jdbcUrl(), "SELECT v FROM t")).isEqualTo("é");
    assertThat(ask(server.jdbcUrl(), "SELECT version()"))
        .containsPattern("^(PostgreSQL )?" + version(kind).replace(".", "\\."));

    List<ProcessHandle> all = ProcessHandle.of(pid).orElseThrow().descendants().toList();
    server.stop();
    assertThat(ProcessHandle.of(pid)).isEmpty();
    assertThat(all).noneMatch(ProcessHandle::isAlive);
    server.close();
    assertThat(server.process().data().getParent()).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  void aKillKeepsWhatIsCommittedUnlessStartedEmpty(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).start()) {
      long pid = server.pid();
      int port = server.port();
      execute(server.jdbcUrl(), "CREATE TABLE t (v INT)");
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
          Statement statement = connection.createStatement()) {
        statement.execute("INSERT INTO t VALUES (1)");
        connection.setAutoCommit(false);
        statement.execute("INSERT INTO t VALUES (2)");
        server.kill();
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
      }
      assertThat(ProcessHandle.of(pid)).isEmpty();
      server.start();
      assertThat(server.port()).isEqualTo(port);
      assertThat(ask(server.jdbcUrl(), "SELECT sum(v) FROM t")).isEqualTo("1");

      server.kill();
      server.startEmpty();
      assertThatThrownBy(() -> ask(server.jdbcUrl(), "SELECT v FROM t"))
          .isInstanceOf(SQLException.class);
    }
  }

  /** Else Linux gives each client of PostgreSQL as much of the processors as all tests together. */
  @Test
  void theProcessesOfClientsAreInTheSessionOfTheTests() throws Exception {
    try (SqlServer server = SqlServer.of(Kind.POSTGRESQL_15).start();
        Connection connection = server.connect();
        Connection other = server.connect()) {
      String id = ask(connection, "SELECT pg_backend_pid()");
      assertThat(session(id)).isEqualTo(session("self"));
      // Signals reach it
      assertThat(ask(other, "SELECT pg_terminate_backend(" + id + ", 30000)")).isEqualTo("t");
    }
  }

  private static String session(String process) throws IOException {
    String stat = Files.readString(Path.of("/proc", process, "stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3];
  }

  /** Process ids are given again, and soon where many processes are started. */
  @ParameterizedTest
  @EnumSource
  void aKilledOneStartsThoughAnotherProcessHasItsId(Kind kind) throws Exception {
    Process other = new ProcessBuilder("sleep", "600").start();
    try (SqlServer server = SqlServer.of(kind).start()) {
      String id = Long.toString(server.pid());
      server.kill();
      for (String name : kind.engine().processFiles()) {
        Path file = server.process().data().resolve(name);
        assertThat(file).content().startsWith(id);
        Files.writeString(
            file, Files.readString(file).replaceFirst(id, Long.toString(other.pid())));
      }
      server.start();
      assertThat(ask(server.jdbcUrl(), "SELECT 7")).isEqualTo("7");
    } finally {
      other.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPausedOneAnswersOnceItIsResumed(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).start();
        Connection connection = server.connect()) {
      server.pause();
      FutureTask<String> answer = new FutureTask<>(() -> ask(connection, "SELECT 7"));
      new Thread(answer).start();
      assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      server.resume();
      assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("7");
      server.pause();
      server.stop();
      assertThat(server.process().isAlive()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void itsClockIsSteppedAndBack(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).withSteppableClock().start()) {
      awaitSecondsAhead(server, 0);
      server.stepClock(Duration.ofMinutes(1));
      awaitSecondsAhead(server, 60);
      server.stepClock(Duration.ofMinutes(-2));
      awaitSecondsAhead(server, -60);
      server.kill();
      server.start();
      awaitSecondsAhead(server, -60);
    }
  }

  private static void awaitSecondsAhead(SqlServer server, long expected) {
    String seconds =
        server.kind() == Kind.POSTGRESQL_15
            ? "SELECT extract(epoch FROM clock_timestamp())::bigint"
            : "SELECT timestampdiff(SECOND, '1970-01-01', utc_timestamp(6))";
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              long now = Long.parseLong(ask(server.jdbcUrl(), seconds));
              long ahead = now - System.currentTimeMillis() / 1000;
              assertThat(ahead).isCloseTo(expected, within(10L));
            });
  }

  @ParameterizedTest
  @EnumSource
  void everyDriverSpeaksToIt(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).start()) {
      for (SqlDriver driver : kind.drivers()) {
        String url = server.jdbcUrl(driver);
        assertThat(url).startsWith("jdbc:" + driver.scheme() + "://127.0.0.1:" + server.port());
        try (Connection connection = DriverManager.getConnection(url)) {
          assertThat(connection.getMetaData().getUserName()).contains(server.user());
          assertThat(connection.getCatalog()).isEqualTo(server.database());
          assertThat(ask(connection, "SELECT 1")).isEqualTo("1");
        }
        assertThat(SqlAccess.given(url).url()).isEqualTo(url);
      }
      assertThatThrownBy(
              () -> {
                for (SqlDriver driver : SqlDriver.values()) {
                  server.jdbcUrl(driver);
                }
              })
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachNewDatabaseIsAlone(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).start()) {
      String one = server.newDatabase();
      String other = server.newDatabase();
      execute(one, "CREATE TABLE t (v INT)");
      execute(other, "CREATE TABLE t (v INT)", "DROP TABLE t");
      execute(one, "INSERT INTO t VALUES (1)");
      assertThatThrownBy(() -> execute(other, "INSERT INTO t VALUES (1)"))
          .isInstanceOf(SQLException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTestsAccountIsPlainAndTheAdministratorIsNot(Kind kind) throws Exception {
    try (SqlServer server = SqlServer.of(kind).start();
        Connection administrator = server.connect();
        Statement statement = administrator.createStatement()) {
      assertThat(server.process().isAlive()).isTrue(); // a given one has other accounts
      assertThatThrownBy(() -> execute(server.jdbcUrl(), "CREATE USER nobody"))
          .isInstanceOf(SQLException.class);
      statement.execute("CREATE USER nobody");
      String wrong = server.jdbcUrl().replace("password=", "password=not-");
      assertThatThrownBy(() -> DriverManager.getConnection(wrong)).isInstanceOf(SQLException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void itListensOnLoopbackOnlyAndIsConfigured(Kind kind) throws Exception {
    boolean postgresql = kind == Kind.POSTGRESQL_15;
    String line = postgresql ? "work_mem = 128kB" : "sort_buffer_size = 128K";
    try (SqlServer server = SqlServer.of(kind).config(line).start()) {
      String ask = postgresql ? "SHOW work_mem" : "SELECT @@sort_buffer_size";
      assertThat(ask(server.jdbcUrl(), ask)).isIn("128kB", "131072");
      String listens = String.format(Locale.ROOT, ":%04X 00000000:0000 0A", server.port());
      assertThat(Files.readString(Path.of("/proc/" + server.pid() + "/net/tcp")))
          .contains("0100007F" + listens)
          .doesNotContain("00000000" + listens);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFailedStartTellsTheServersLog(Kind kind) {
    SqlServer.of(kind).config("").start().close(); // it can be had
    assertThatThrownBy(() -> SqlServer.of(kind).config("nonsense = 1").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  void mysqlTellsWhatIsLocked() throws Exception {
    try (SqlServer server = SqlServer.of(Kind.MYSQL_9).start();
        Connection administrator = server.connect()) {
      assertThat(ask(administrator, "SELECT count(*) FROM performance_schema.data_locks"))
          .isEqualTo("0");
    }
  }
}
