package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlDriver;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the application's pool gets back, and what it must give. */
class PoolTest extends ServerTest {
  private static final int SIZE = 4;

  static Stream<Arguments> everyDriver() {
    return Arrays.stream(Kind.values())
        .flatMap(kind -> kind.drivers().stream().map(driver -> Arguments.of(kind, driver)));
  }

  private HikariDataSource pool(String url) {
    HikariDataSource pool = closed(new HikariDataSource());
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(SIZE);
    return pool;
  }

  private Engine client(DataSource source) {
    return client(JdbcStores.using(source).tables(tables()).createTables(), how -> how);
  }

  /** The application writes on each connection of its pool, and another sees it at once. */
  private void requireUsable(HikariDataSource pool, SqlServer server) throws SQLException {
    String own = tables() + "_own";
    execute(server, "CREATE TABLE " + own + " (n INTEGER)");
    if (!isMysql(server)) {
      execute(server, "GRANT ALL ON " + own + " TO " + server.user());
    }
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      all.add(closed(pool.getConnection()));
    }
    for (Connection one : all) {
      assertThat(one.getAutoCommit()).isTrue();
      try (Statement statement = one.createStatement()) {
        statement.execute("INSERT INTO " + own + " VALUES (1)");
      }
    }
    assertThat(ask(server, "SELECT count(*) FROM " + own)).containsExactly(String.valueOf(SIZE));
  }

  /** An administrator ends the statement of a transaction of the store, and not its connection. */
  @ParameterizedTest
  @MethodSource("everyDriver")
  void aStatementThatIsKilled(Kind kind, SqlDriver driver) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server.jdbcUrl(driver));
    Engine client = client(pool);
    client.readWriteLock("a").readLock().acquire().release();
    Connection administrator = closed(server.connect());
    administrator.setAutoCommit(false);
    char quote = isMysql(server) ? '`' : '"';
    try (Statement statement = administrator.createStatement()) {
      statement.execute("SELECT * FROM " + quote + tables() + "_lock" + quote + " FOR UPDATE");
    }
    CompletableFuture<Lease> attempt = client.readWriteLock("a").readLock().acquireAsync(PATIENCE);
    String waiting =
        isMysql(server)
            ? "SELECT id FROM information_schema.processlist WHERE info LIKE '%"
                + tables()
                + "%FOR UPDATE%' AND id <> connection_id()"
            : "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND wait_event_type = 'Lock'"
                + " AND query LIKE '%"
                + tables()
                + "%FOR UPDATE%'";
    String kill = isMysql(server) ? "KILL QUERY " : "SELECT pg_cancel_backend(";
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              List<String> found = ask(server, waiting);
              found.forEach(id -> execute(server, kill + id + (isMysql(server) ? "" : ")")));
              return !found.isEmpty();
            });
    administrator.rollback();
    await().atMost(PATIENCE).until(attempt::isDone);
    client.close();
    requireUsable(pool, server);
  }

  /** Connections that fail, while there is something to throw, in the midst of a transaction. */
  private static DataSource failing(DataSource pool, AtomicReference<Throwable> failure) {
    GivenConnections.Before fail =
        (method, arguments) -> {
          Throwable thrown = failure.get();
          if (thrown != null
              && method.getName().equals("prepareStatement")
              && arguments[0].toString().contains("_share")) {
            throw thrown;
          }
        };
    return new GivenConnections(() -> GivenConnections.seen(pool.getConnection(), fail));
  }

  @ParameterizedTest
  @EnumSource
  void aFailureWithinATransaction(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server.jdbcUrl());
    for (Throwable thrown : List.of(new IllegalStateException("driver"), new LinkageError("x"))) {
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Engine client = client(failing(pool, failure));
      client.lock("a").acquire().release();
      failure.set(thrown);
      assertThatThrownBy(() -> client.readWriteLock("b").readLock().tryAcquire())
          .isInstanceOf(StoreException.class);
      client.close();
    }
    requireUsable(pool, server);
  }

  /** What a session may be set to, as it is on each connection of the pool. */
  private static List<String> settings(HikariDataSource pool, SqlServer server)
      throws SQLException {
    List<String> found = new ArrayList<>();
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      all.add(pool.getConnection());
    }
    for (Connection one : all) {
      try (one;
          Statement statement = one.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  isMysql(server)
                      ? "SHOW SESSION VARIABLES"
                      : "SELECT name, setting FROM pg_settings")) {
        while (rows.next()) {
          String name = rows.getString(1);
          if (name.contains("timeout") || name.contains("isolation") || name.contains("commit")) {
            found.add(name + "=" + rows.getString(2));
          }
        }
        found.add("network=" + one.getNetworkTimeout() + ", auto=" + one.getAutoCommit());
      }
    }
    found.sort(null);
    return found;
  }

  @ParameterizedTest
  @MethodSource("everyDriver")
  void connectionsAreGivenBackAsTheyWereLent(Kind kind, SqlDriver driver) throws Exception {
    SqlServer server = SharedServers.of(kind);
    for (boolean autoCommit : List.of(true, false)) {
      HikariDataSource pool = pool(server.jdbcUrl(driver));
      pool.setAutoCommit(autoCommit);
      pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
      List<String> before = settings(pool, server);
      Engine client = client(pool);
      client.lock("a").acquire().release();
      client.readWriteLock("r").readLock().acquire().release();
      client.close();
      assertThat(settings(pool, server)).isEqualTo(before);
    }
  }

  static Stream<Arguments> everyDriverOfMysql() {
    return everyDriver().filter(each -> each.get()[0] != Kind.POSTGRESQL_15);
  }

  @ParameterizedTest
  @MethodSource("everyDriverOfMysql")
  void aPairIsTwoStatements(Kind kind, SqlDriver driver) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(pool(server.jdbcUrl(driver)));
    for (int i = 0; i < 3; i++) {
      client.lock("a").acquire().release(); // prepares what is asked, on each connection
    }
    try (Connection observer = server.connect();
        Statement statement = observer.createStatement()) {
      List<Long> costs = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        long before = questions(statement);
        client.lock("a").acquire().release();
        costs.add(questions(statement) - before - 1);
      }
      // A sweep, or a connection that is looked after, may come beside one of them.
      costs.sort(null);
      assertThat(costs.subList(0, 15)).containsOnly(2L);
    }
  }

  private static long questions(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }

  /** Whatever the pool still gives, without waiting for more. */
  private List<Connection> exhaust(HikariDataSource pool) throws SQLException {
    List<Connection> taken = new ArrayList<>();
    boolean exhausted = false;
    while (!exhausted) {
      try {
        taken.add(closed(pool.getConnection()));
      } catch (SQLTransientConnectionException e) {
        // Or the last is not open yet
        exhausted = pool.getHikariPoolMXBean().getTotalConnections() == SIZE;
      }
    }
    return taken;
  }

  @ParameterizedTest
  @EnumSource
  void r16AnExhaustedPoolCostsNoLeaseAndNoLock(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server.jdbcUrl());
    AtomicInteger renewals = new AtomicInteger();
    List<LockEvent> troubles = new CopyOnWriteArrayList<>();
    LockListener listener =
        event -> {
          if (event instanceof LockEvent.Renewed) {
            renewals.incrementAndGet();
          } else if (event instanceof LockEvent.Jeopardy || event instanceof LockEvent.Lost) {
            troubles.add(event);
          }
        };
    Engine client =
        client(
            JdbcStores.using(pool).tables(tables()).createTables(),
            how -> how.ttl(Duration.ofSeconds(3)).listener(listener));
    Lease held = client.lock("held").acquire();
    pool.getHikariConfigMXBean().setConnectionTimeout(250);
    assertThat(exhaust(pool)).hasSize(SIZE - LentConnections.KEPT);
    Lease during = client.lock("during").acquire();
    during.release();
    await().atMost(PATIENCE).until(() -> renewals.get() >= 2);
    held.release();
    assertThat(troubles).isEmpty();
    requireSoon(client(server).lock("held"));
  }

  @ParameterizedTest
  @EnumSource
  void aPoolThatIsTooSmallIsRefused(Kind kind) throws Exception {
    HikariDataSource pool = pool(SharedServers.of(kind).jdbcUrl());
    pool.setConnectionTimeout(2000);
    pool.setMaximumPoolSize(1);
    assertThatThrownBy(() -> client(pool))
        .isInstanceOfSatisfying(
            StoreException.class,
            told -> assertThat(told.failure()).isEqualTo(StoreException.Failure.REFUSED))
        .hasMessageContaining("gave 1 connection")
        .hasMessageContaining("the store keeps 2 for itself")
        .hasMessageContaining("raise the size of its pool");
    pool.getConnection().close(); // what it gave it has again
  }

  /** An administrator ends the connections that are kept, and the application takes the rest. */
  @ParameterizedTest
  @EnumSource
  void connectionsThatEndAreReplaced(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server.jdbcUrl());
    Engine client =
        client(
            JdbcStores.using(pool).tables(tables()).createTables(),
            how -> how.requestTimeout(Duration.ofSeconds(1)));
    pool.getHikariConfigMXBean().setConnectionTimeout(250);
    List<Connection> others = exhaust(pool);
    Lease held = client.lock("a").acquire();
    String own = isMysql(server) ? "SELECT connection_id()" : "SELECT pg_backend_pid()";
    List<String> known = new ArrayList<>();
    for (Connection one : others) {
      try (Statement statement = one.createStatement();
          ResultSet row = statement.executeQuery(own)) {
        row.next();
        known.add(row.getString(1));
      }
    }
    String seen =
        isMysql(server)
            ? "SELECT id FROM information_schema.processlist WHERE user = '" + server.user() + "'"
            : "SELECT pid FROM pg_stat_activity WHERE usename = '" + server.user() + "'";
    List<String> kept = new ArrayList<>(ask(server, seen));
    kept.removeAll(known);
    pool.setMaximumPoolSize(SIZE - LentConnections.KEPT); // it gives no others
    kept.forEach(
        id ->
            execute(
                server,
                (isMysql(server) ? "KILL " + id : "SELECT pg_terminate_backend(" + id + ")")));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> client.lock("b").tryAcquire())
                    .isInstanceOfSatisfying(
                        StoreException.class,
                        told ->
                            assertThat(told.failure())
                                .isEqualTo(StoreException.Failure.UNAVAILABLE))
                    .hasMessageContaining("the pool gave no connection"));
    pool.setMaximumPoolSize(SIZE);
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(StoreException.class)
        .untilAsserted(() -> client.lock("b").tryAcquire().orElseThrow().release());
    assertThat(held.isHeld()).isTrue();
    held.release();
  }
}
