package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlDriver;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server may refuse: each says why and what to do, and nothing says a password. */
class RefusalTest extends ServerTest {
  private static final String PASSWORD = "s3cret-one";

  private String user = "";
  private Runnable undo = () -> {};

  @AfterEach
  void undo() {
    undo.run();
    undo = () -> {};
  }

  /** A new account that may do all in the database of the tests. */
  private String account(SqlServer server) {
    user = "u" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    if (isMysql(server)) {
      execute(
          server,
          "CREATE USER " + user + " IDENTIFIED BY '" + PASSWORD + "'",
          "GRANT ALL ON " + server.database() + ".* TO " + user);
    } else {
      execute(
          server,
          "CREATE ROLE " + user + " LOGIN PASSWORD '" + PASSWORD + "'",
          "GRANT ALL ON SCHEMA public TO " + user,
          "GRANT " + user + " TO " + server.user());
    }
    return url(server, PASSWORD);
  }

  private String url(SqlServer server, String password) {
    return server
        .jdbcUrl()
        .replace("user=" + server.user(), "user=" + user)
        .replace("password=" + server.password(), "password=" + password);
  }

  private void password(SqlServer server, String password) {
    execute(
        server,
        isMysql(server)
            ? "ALTER USER " + user + " IDENTIFIED BY '" + password + "'"
            : "ALTER ROLE " + user + " PASSWORD '" + password + "'");
  }

  /** Throws it out. */
  private void disconnect(SqlServer server) {
    String seen =
        isMysql(server)
            ? "SELECT id FROM information_schema.processlist WHERE user = '" + user + "'"
            : "SELECT pid FROM pg_stat_activity WHERE usename = '" + user + "'";
    String end = isMysql(server) ? "KILL " : "SELECT pg_terminate_backend(";
    ask(server, seen).forEach(id -> execute(server, end + id + (isMysql(server) ? "" : ")")));
  }

  private static void requireTold(Failure failure, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreException.class,
            told -> {
              assertThat(told).hasMessageContaining(what);
              assertThat(told.failure()).isEqualTo(failure);
              StringWriter all = new StringWriter();
              told.printStackTrace(new PrintWriter(all));
              assertThat(all.toString()).doesNotContain("s3cret", "password=");
            });
  }

  @ParameterizedTest
  @EnumSource
  void aWrongPassword(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    account(server);
    requireTold(
        Failure.REFUSED,
        "refuses to let us in",
        () -> clientAt(url(server, "s3cret-two"), how -> how));
  }

  @Test
  void noPassword() {
    SqlServer server = SharedServers.of(Kind.POSTGRESQL_15);
    String url = server.jdbcUrl().replace("password=" + server.password(), "");
    requireTold(
        Failure.REFUSED,
        "no password was provided",
        () -> clientAt(url.replace("&&", "&").replace("?&", "?"), how -> how));
  }

  static Stream<Arguments> everyDriverAndItsTls() {
    return Stream.of(
        Arguments.of(Kind.POSTGRESQL_15, SqlDriver.POSTGRESQL, "sslmode=require"),
        Arguments.of(Kind.MARIADB_10_11, SqlDriver.MARIADB, ""),
        Arguments.of(Kind.MARIADB_10_11, SqlDriver.MARIADB, "sslMode=trust"),
        Arguments.of(Kind.MARIADB_10_11, SqlDriver.MYSQL, "sslMode=REQUIRED"),
        Arguments.of(Kind.MYSQL_9, SqlDriver.MYSQL, "sslMode=VERIFY_CA"),
        Arguments.of(Kind.MYSQL_9, SqlDriver.MARIADB, "sslMode=verify-ca"));
  }

  /** The last two have a certificate that no client trusts, the others none at all. */
  @ParameterizedTest
  @MethodSource("everyDriverAndItsTls")
  void tlsThatIsNotAgreedOn(Kind kind, SqlDriver driver, String parameter) {
    String url = SharedServers.of(kind).jdbcUrl(driver);
    String other = url.replaceFirst("(?i)sslmode=disabled?", parameter).replace("&&", "&");
    assertThat(other).isNotEqualTo(url);
    assertThatThrownBy(() -> clientAt(other, how -> how))
        .isInstanceOfSatisfying(
            StoreException.class, told -> assertThat(told.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("TLS")
        .hasMessageMatching("(?is).*parameter sslMode of the URL.*")
        .message()
        .hasLineCount(1);
  }

  @ParameterizedTest
  @EnumSource
  void aPasswordThatIsChangedUntilItIsSetBack(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = clientAt(account(server), how -> how);
    Engine other = client(server);
    Lease held = client.lock("held").acquire();
    Lease busy = other.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client, "a", other);
    password(server, "s3cret-two");
    disconnect(server);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                requireTold(
                    Failure.REFUSED, "refuses to let us in", () -> client.lock("b").tryAcquire()));
    assertThat(held.isHeld()).isTrue();
    assertThat(waiter).as("it was answered, and outlasts failures").isNotDone();
    password(server, PASSWORD);
    busy.release();
    served(waiter).release();
    assertThat(held.isHeld()).isTrue();
    held.release();
    requireNothingLeft(client);
  }

  @ParameterizedTest
  @EnumSource
  void aMissingPrivilege(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    client(server).lock("a").acquire().release();
    String url = account(server);
    if (isMysql(server)) {
      String database = server.database() + ".*";
      execute(
          server,
          "REVOKE ALL ON " + database + " FROM " + user,
          "GRANT SELECT ON " + database + " TO " + user);
    } else {
      execute(server, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + user);
    }
    Engine client = clientAt(url, how -> how);
    requireTold(Failure.REFUSED, "grant it to this user", () -> client.lock("a").tryAcquire());
    requireTold(
        Failure.REFUSED,
        "grant it to this user",
        () -> client.readWriteLock("a").readLock().tryAcquire());
  }

  @ParameterizedTest
  @EnumSource
  void tablesThatAreMissing(Kind kind) {
    String url = SharedServers.of(kind).jdbcUrl() + "&table=" + tables();
    requireTold(Failure.REFUSED, "`leasehold doctor --ddl`", () -> Leasehold.builder(url).build());
    requireTold(
        Failure.REFUSED,
        "`leasehold doctor --ddl`",
        () -> {
          Engine client = closed((Engine) Leasehold.builder(url + "&ddl=none").build());
          client.lock("a").tryAcquire();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aDatabaseThatIsNotThere(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    String elsewhere = server.jdbcUrl().replace("/" + server.database(), "/leasehold_nowhere");
    requireTold(Failure.REFUSED, "has no such database", () -> clientAt(elsewhere, how -> how));
  }

  @Test
  void aDatabaseThatIsNotServed() {
    assertThatThrownBy(() -> Leasehold.connect("jdbc:oracle:thin:user/s3cret@host:1521:orcl"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql://host/database")
        .hasMessageNotContaining("s3cret");
    org.sqlite.SQLiteDataSource sqlite = new org.sqlite.SQLiteDataSource();
    sqlite.setUrl("jdbc:sqlite::memory:");
    requireTold(
        Failure.REFUSED,
        "served are PostgreSQL, MySQL, MariaDB and H2",
        () -> client(JdbcStores.using(sqlite), how -> how));
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatMayOnlyBeRead(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    client(server).lock("a").acquire().release();
    readOnly(server, true);
    undo = () -> readOnly(server, false);
    Engine client = client(server);
    requireTold(Failure.REFUSED, "connect to the primary", () -> client.lock("a").tryAcquire());
    requireTold(
        Failure.REFUSED, "connect to the primary", () -> client.semaphore("s", 3).tryAcquire());
    readOnly(server, false);
    requireSoon(client.lock("a"));
  }

  @ParameterizedTest
  @EnumSource
  void r12WhoWaitsOutlastsAServerThatMayOnlyBeRead(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = clientAt(account(server), how -> how);
    Engine other = client(server);
    Lease busy = other.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client, "a", other);
    readOnly(server, true);
    undo = () -> readOnly(server, false);
    disconnect(server);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                requireTold(
                    Failure.REFUSED,
                    "connect to the primary",
                    () -> client.lock("b").tryAcquire()));
    // A second: as long as a poll
    await().during(Duration.ofMillis(1200)).atMost(PATIENCE).until(() -> !waiter.isDone());
    readOnly(server, false);
    busy.release();
    served(waiter).release();
  }

  private static void readOnly(SqlServer server, boolean on) {
    if (isMysql(server)) {
      execute(server, "SET GLOBAL read_only = " + on);
      return;
    }
    String set = "SET default_transaction_read_only = ";
    execute(server, set + false, "ALTER DATABASE " + server.database() + " " + set + on);
  }

  private void mostConnections(SqlServer server, int most) {
    execute(
        server,
        isMysql(server)
            ? "ALTER USER " + user + " WITH MAX_USER_CONNECTIONS " + most
            : "ALTER ROLE " + user + " CONNECTION LIMIT " + most);
  }

  @ParameterizedTest
  @EnumSource
  void noConnectionLeft(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    String url = account(server);
    mostConnections(server, 1);
    clientAt(url, how -> how);
    requireTold(
        Failure.UNAVAILABLE, "raise its limit of connections", () -> clientAt(url, how -> how));
  }

  /**
   * The limit is taken back on a connection that is there already: a new one might find none left.
   */
  @Test
  void noConnectionLeftOfAll() throws SQLException {
    SqlServer server = SharedServers.of(Kind.MYSQL_9);
    account(server);
    Statement administrator = closed(closed(server.connect()).createStatement());
    int before = number(administrator, "SELECT @@GLOBAL.max_connections");
    String clients =
        "SELECT count(*) FROM information_schema.processlist WHERE command <> 'Daemon'";
    await().atMost(PATIENCE).until(() -> number(administrator, clients) == 1);
    undo =
        () -> {
          try {
            administrator.execute("SET GLOBAL max_connections = " + before);
          } catch (SQLException e) {
            throw new AssertionError(e);
          }
        };
    administrator.execute("SET GLOBAL max_connections = 2");
    clientAt(url(server, PASSWORD), how -> how);
    requireTold(
        Failure.UNAVAILABLE,
        "raise its limit of connections",
        () -> clientAt(url(server, PASSWORD), how -> how));
  }

  private static int number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getInt(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneConnectionIsEnough(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    String url = account(server);
    mostConnections(server, 1);
    Engine client = clientAt(url, how -> how);
    Engine other = client(server);
    CompletableFuture<?>[] all = new CompletableFuture<?>[8];
    for (int i = 0; i < all.length; i++) {
      String name = "name " + i;
      all[i] =
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 10; n++) {
                  client.lock(name).asLock().lock();
                  client.lock(name).asLock().unlock();
                }
              });
    }
    assertThat(CompletableFuture.allOf(all)).succeedsWithin(PATIENCE);
    Lease held = other.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client, "a", other);
    long begin = System.nanoTime();
    held.release();
    served(waiter).release();
    assertThat(System.nanoTime() - begin).as("by the poll").isLessThan(1_500_000_000L);
  }
}
