package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What locking costs, counted by the server. */
@TestInstance(Lifecycle.PER_CLASS)
class StatementCountTest extends ServerTest {
  /** In so many releases there is one that sweeps. */
  private static final int PAIRS = LeaseRowStore.GRANTS_A_SWEEP;

  private static final int LEASES = 10_000;

  private final Map<Kind, SqlServer> servers = new EnumMap<>(Kind.class);

  private SqlServer server(Kind kind) {
    return kind == Kind.POSTGRESQL_15
        ? servers.computeIfAbsent(kind, StatementCountTest::withCounts)
        : SharedServers.of(kind);
  }

  private static SqlServer withCounts(Kind kind) {
    SqlServer server =
        SqlServer.of(kind).config("shared_preload_libraries = 'pg_stat_statements'").start();
    execute(server, "CREATE EXTENSION pg_stat_statements");
    return server;
  }

  @AfterAll
  void closeServers() {
    servers.values().forEach(SqlServer::close);
  }

  /** How many statements a server was sent by others. */
  private static final class Count implements AutoCloseable {
    private static final String PG =
        "SELECT sum(calls) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid"
            + " WHERE rolname = ";

    private final Connection connection;
    private final String sql;
    private final boolean countsItself;
    private long last;

    Count(SqlServer server) throws SQLException {
      connection = server.connect();
      countsItself = isMysql(server);
      sql = countsItself ? "SHOW GLOBAL STATUS LIKE 'Questions'" : PG + "'" + server.user() + "'";
      last = read();
    }

    private long read() throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(sql)) {
        row.next();
        return row.getLong(countsItself ? 2 : 1);
      }
    }

    /** Since it was asked last. */
    int more() throws SQLException {
      long now = read();
      long more = now - last - (countsItself ? 1 : 0);
      last = now;
      return Math.toIntExact(more);
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private Count count(SqlServer server) throws SQLException {
    return closed(new Count(server));
  }

  @ParameterizedTest
  @EnumSource
  void aFreePairIsTwoAndOneInManySweeps(Kind kind) throws Exception {
    Engine client = client(server(kind));
    client.lock("a").acquire().release();
    Count count = count(server(kind));
    List<Integer> costs = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      client.lock("a").acquire().release();
      costs.add(count.more());
    }
    // The sweep, and the connection that it may need, come in the background, beside some of them.
    int swept = costs.stream().mapToInt(cost -> cost - 2).sum();
    assertThat(swept).as("the sweep").isBetween(0, 20);
    costs.sort(null);
    assertThat(costs.subList(0, PAIRS - 10)).containsOnly(2);
  }

  @ParameterizedTest
  @EnumSource
  void aSharedGrantIsOneTransactionOfFour(Kind kind) throws Exception {
    Engine client = client(server(kind));
    client.readWriteLock("a").readLock().acquire().release();
    client.semaphore("s", 3).acquire().release();
    Count count = count(server(kind));
    List<Integer> costs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Lease reading = client.readWriteLock("a").readLock().acquire();
      costs.add(count.more());
      Lease permits = client.semaphore("s", 3).permits(2).acquire();
      costs.add(count.more());
      permits.release();
      reading.release();
      count.more();
    }
    // A sweep may come in the background, beside one of them or between two.
    costs.sort(null);
    assertThat(costs.subList(0, costs.size() - 2)).allMatch(cost -> cost <= 4 + 2);
  }

  @ParameterizedTest
  @EnumSource
  void aBusyTryIsTwo(Kind kind) throws Exception {
    Engine client = client(server(kind));
    Lease held = client(server(kind)).lock("a").acquire();
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    Count count = count(server(kind));
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    assertThat(count.more()).isEqualTo(2);
    held.release();
  }

  @ParameterizedTest
  @EnumSource
  void r19EnteringAgainAndLookingAreNone(Kind kind) throws Exception {
    Engine client = client(server(kind));
    Lock lock = client.lock("a").asLock();
    lock.lock();
    Count count = count(server(kind));
    // What runs in the background may still end
    await().atMost(PATIENCE).until(() -> count.more() == 0);
    for (int i = 0; i < 1000; i++) {
      lock.lock();
      assertThat(lock.tryLock()).isTrue();
      lock.unlock();
      lock.unlock();
    }
    assertThat(count.more()).isZero();
    try (Lease held = client.lock("b").acquire()) {
      // What runs in the background may still end
      await().atMost(PATIENCE).until(() -> count.more() == 0);
      assertThat(held.isHeld()).isTrue();
      assertThat(held.remaining()).isPositive();
      assertThat(count.more()).isZero();
    }
    // Last: a release may bring a sweep, which comes in the background.
    lock.unlock();
  }

  @ParameterizedTest
  @EnumSource
  void renewingTenThousandIsTwenty(Kind kind) throws Exception {
    LockStore store = store(server(kind));
    List<Ticket> held = hold(server(kind));
    Count count = count(server(kind));
    List<Renewal> answers = new ArrayList<>();
    store.renew(held, PATIENCE, (id, answer) -> answers.add(answer));
    assertThat(answers).hasSize(LEASES);
    assertThat(Set.copyOf(answers)).hasOnlyElementsOfType(Renewal.Renewed.class);
    assertThat(count.more()).isLessThanOrEqualTo(20);
    execute(server(kind), "DELETE FROM " + table(server(kind), "lock"));
  }

  /** Writes leases into the table, which is faster than to acquire them. */
  private List<Ticket> hold(SqlServer server) {
    List<Ticket> tickets = IntStream.range(0, LEASES).mapToObj(StatementCountTest::ticket).toList();
    String insert =
        "INSERT INTO "
            + table(server, "lock")
            + " (name, fence, lease_id, holder, granted, expires, others_until, wanted_until) VALUES ";
    for (int from = 0; from < LEASES; from += 1000) {
      execute(
          server,
          tickets.subList(from, from + 1000).stream()
              .map(t -> "('" + t.name() + "', 1, '" + t.id() + "', '', 0, 9999999999999999, 0, 0)")
              .collect(Collectors.joining(", ", insert, "")));
    }
    return tickets;
  }

  private static Ticket ticket(int n) {
    return new Ticket(
        "name " + n,
        new LeaseId(1, n),
        LockMode.EXCLUSIVE,
        1,
        1,
        Duration.ofSeconds(30),
        Ticket.Intent.TRY,
        false,
        "");
  }

  private String table(SqlServer server, String table) {
    char quote = isMysql(server) ? '`' : '"';
    return quote + tables() + "_" + table + quote;
  }

  @ParameterizedTest
  @EnumSource
  void leasesOfAClientAreRenewedTogether(Kind kind) throws Exception {
    AtomicInteger renewals = new AtomicInteger();
    Engine client =
        client(
            server(kind),
            how ->
                how.ttl(Duration.ofSeconds(3))
                    .listener(
                        event -> {
                          if (event instanceof LockEvent.Renewed) {
                            renewals.incrementAndGet();
                          }
                        }));
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      held.add(client.lock("name " + i).acquire());
    }
    renewals.set(0);
    Count count = count(server(kind));
    await().atMost(PATIENCE).until(() -> renewals.get() >= 3 * held.size());
    assertThat(count.more()).isLessThanOrEqualTo(3 * held.size() / 4);
    assertThat(held).allMatch(Lease::isHeld);
  }

  /** On the server that is polled, where waiting costs most. */
  @ParameterizedTest
  @EnumSource(names = "MARIADB_10_11")
  void waitingCostsNoMoreForFiveHundredThanForOne(Kind kind) throws Exception {
    waitForFiveHundred(kind);
  }

  @ParameterizedTest
  @EnumSource(names = "MARIADB_10_11", mode = Mode.EXCLUDE)
  @Tag("slow")
  void waitingCostsNoMoreForFiveHundredThanForOneAnywhere(Kind kind) throws Exception {
    waitForFiveHundred(kind);
  }

  private void waitForFiveHundred(Kind kind) throws Exception {
    Engine holder = client(server(kind));
    Engine client = client(server(kind));
    Count count = count(server(kind));
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      held.add(holder.lock("name " + i).acquire());
    }
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    waiters.add(beginToWait(client, "name 0", holder));
    double one = aSecond(count);
    for (int i = 1; i < 500; i++) {
      waiters.add(client.lock("name " + i).acquireAsync(TTL));
    }
    String places = "SELECT count(*) FROM " + table(server(kind), "queue");
    await().atMost(PATIENCE).until(() -> ask(server(kind), places).equals(List.of("500")));
    // Each attempts once more after it has its place. Then they are asked about together, ten times
    // a second at most; that may write places again, in a few statements more.
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(aSecond(count)).isLessThanOrEqualTo(one + 10 * 7));
    waiters.forEach(waiter -> waiter.cancel(true));
    requireNothingLeft(client);
    held.forEach(Lease::release);
  }

  private static double aSecond(Count count) throws SQLException {
    count.more();
    long begin = System.nanoTime();
    pass(Duration.ofSeconds(2));
    return count.more() * 1e9 / (System.nanoTime() - begin);
  }

  /** On the server that is polled, where waiting costs most. */
  @ParameterizedTest
  @EnumSource(names = "MARIADB_10_11")
  void whoWaitsHoldsNoMoreConnectionsOfThePool(Kind kind) throws Exception {
    waitWithAPoolOfTwo(kind);
  }

  @ParameterizedTest
  @EnumSource(names = "MARIADB_10_11", mode = Mode.EXCLUDE)
  @Tag("slow")
  void whoWaitsHoldsNoMoreConnectionsOfThePoolAnywhere(Kind kind) throws Exception {
    waitWithAPoolOfTwo(kind);
  }

  private void waitWithAPoolOfTwo(Kind kind) throws Exception {
    Engine holder = client(server(kind));
    HikariDataSource pool = closed(new HikariDataSource());
    pool.setJdbcUrl(server(kind).jdbcUrl());
    pool.setMaximumPoolSize(LentConnections.KEPT + 2);
    Engine client = client(JdbcStores.using(pool).tables(tables()), how -> how);
    List<Lease> held = new ArrayList<>();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      held.add(holder.lock("name " + i).acquire());
      waiters.add(client.lock("name " + i).acquireAsync(TTL));
    }
    String places = "SELECT count(*) FROM " + table(server(kind), "queue");
    await().atMost(PATIENCE).until(() -> ask(server(kind), places).equals(List.of("200")));
    try (Connection one = pool.getConnection();
        Connection other = pool.getConnection()) {
      assertThat(List.of(one.isValid(1), other.isValid(1))).containsOnly(true);
    }
    held.forEach(Lease::release);
    for (CompletableFuture<Lease> waiter : waiters) {
      served(waiter).release();
    }
    requireNothingLeft(client);
  }
}
