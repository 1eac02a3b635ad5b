package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of the application's own pool, beside what the application does on them. */
class DataSourceTest extends ServerTest {
  private HikariDataSource pool(SqlServer server, UnaryOperator<String> url) {
    HikariDataSource pool = closed(new HikariDataSource());
    pool.setJdbcUrl(url.apply(server.jdbcUrl()));
    pool.setMaximumPoolSize(5);
    return pool;
  }

  private Engine client(DataSource source, Duration ttl) {
    JdbcStores stores = JdbcStores.using(source).tables(tables()).createTables();
    return client(stores, how -> how.ttl(ttl));
  }

  @ParameterizedTest
  @EnumSource
  void aTransactionThatIsRolledBackChangesNothing(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server, url -> url);
    Engine client = client(pool, TTL);
    Lease before = client.lock("before").acquire();
    try (Connection open = pool.getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      statement.execute("CREATE TABLE " + tables() + "_own (n INTEGER)");
      statement.execute("INSERT INTO " + tables() + "_own VALUES (1)");
      Lease during = client.lock("during").acquire();
      before.release();
      open.rollback();
      assertThat(client(server).lock("during").tryAcquire()).isEmpty();
      assertThat(during.isHeld()).isTrue();
      requireSoon(client(server).lock("before"));
      during.release();
    }
    requireSoon(client(server).lock("during"));
  }

  /** PostgreSQL's now() stands still within a transaction. */
  @ParameterizedTest
  @EnumSource
  void aLockTakenDuringALongTransactionSeesTheTrueTime(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    HikariDataSource pool = pool(server, url -> url);
    try (Connection open = pool.getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      try (ResultSet now = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
        now.next();
      }
      Engine client = client(pool, Duration.ofSeconds(1));
      LockOptions dies = LockOptions.defaults().withoutRenewal();
      Lease dead = client(pool, Duration.ofSeconds(1)).lock("a").with(dies).acquire();
      Lease next = client.lock("a").tryAcquire(Duration.ofSeconds(5)).orElseThrow();
      assertThat(dead.isHeld()).isFalse();
      assertThat(next.fencingToken()).isGreaterThan(dead.fencingToken());
      assertThat(next.remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
      next.release();
    }
  }

  /** Gives connections until it is told to keep them. */
  private static final class Stuck {
    private final DataSource source;
    private final CountDownLatch gives = new CountDownLatch(1);
    private volatile boolean keeps;

    Stuck(DataSource source) {
      this.source = source;
    }

    Connection connection() throws SQLException {
      try {
        if (keeps) {
          gives.await();
        }
        return source.getConnection();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLException(e);
      }
    }
  }

  @Test
  void aPoolThatGivesNothingToBeginWith() {
    Stuck source = new Stuck(new JdbcDataSource());
    source.keeps = true;
    long begin = System.nanoTime();
    assertThatThrownBy(() -> client(new GivenConnections(source::connection), TTL))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("raise the size of its pool");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
    source.gives.countDown();
  }

  @Test
  void aPoolThatFailsInWaysOfItsOwn() throws Exception {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + tables());
    List<Connection> given = new ArrayList<>();
    try (Connection kept = source.getConnection()) {
      DataSource pool =
          new GivenConnections(
              () -> {
                if (given.size() == LentConnections.KEPT) {
                  throw new IllegalStateException("the pool was closed");
                }
                given.add(source.getConnection());
                return given.get(given.size() - 1);
              });
      Engine client = client(pool, TTL);
      client.lock("a").acquire().release();
      for (Connection one : given) {
        one.close();
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.lock("a").tryAcquire())
                      .isInstanceOf(StoreException.class)
                      .hasMessageContaining("the pool was closed"));
      assertThat(kept.isValid(1)).isTrue();
    }
  }

  /** A database that stands still for longer than those who asked have time. */
  @Test
  void whatNoThreadTookInTimeIsNotSent() throws Exception {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + tables());
    CountDownLatch moves = new CountDownLatch(1);
    AtomicInteger stuck = new AtomicInteger();
    AtomicBoolean stands = new AtomicBoolean();
    GivenConnections.Before stop =
        (method, arguments) -> {
          if (stands.get()) {
            stuck.incrementAndGet();
            moves.await();
          }
        };
    DataSource pool =
        new GivenConnections(() -> GivenConnections.seen(source.getConnection(), stop));
    LockStore store = closed(JdbcStores.using(pool).createTables().open(NOBODY));
    stands.set(true);
    List<CompletableFuture<Attempt>> asked = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Ticket ticket = Fixture.tryOnce("name " + i);
      asked.add(store.attempt(ticket, Duration.ofSeconds(1)).toCompletableFuture());
    }
    await().atMost(PATIENCE).until(() -> stuck.get() == LentConnections.KEPT);
    pass(Duration.ofSeconds(1));
    stands.set(false);
    moves.countDown();
    await().atMost(PATIENCE).until(() -> asked.stream().allMatch(CompletableFuture::isDone));
    long sent = asked.stream().filter(one -> !one.isCompletedExceptionally()).count();
    assertThat(sent).isLessThanOrEqualTo(LentConnections.KEPT);
  }
}
