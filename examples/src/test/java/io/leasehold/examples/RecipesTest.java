package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.jdbc.FencedWrites;
import io.leasehold.jdbc.JdbcStores;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/recipes.md does what the page says. */
class RecipesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path dir;

  private String url() {
    return "file:" + dir.resolve("locks.db");
  }

  private static JdbcDataSource database(String name) {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void moneyMovesUnderBothLocks() throws Exception {
    JdbcDataSource dataSource = database("transfers");
    try (LockClient locks = Leasehold.builder(JdbcStores.using(dataSource).createTables()).build();
        Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, cents BIGINT)");
      statement.execute("INSERT INTO account VALUES (1, 1000), (2, 0)");
      ExecutorService both = Executors.newFixedThreadPool(2);
      try {
        Transfers transfers = new Transfers(locks, dataSource);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          int from = 1 + i % 2;
          all.add(
              both.submit(
                  () -> {
                    transfers.transfer(from, 3 - from, from == 1 ? 10 : 5);
                    return null;
                  }));
        }
        for (Future<?> each : all) {
          each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
      } finally {
        both.shutdownNow();
      }
      assertThat(number(statement, "SELECT cents FROM account WHERE id = 1")).isEqualTo(950);
      assertThat(number(statement, "SELECT cents FROM account WHERE id = 2")).isEqualTo(50);
    }
  }

  @Test
  void aTransferWhoseLeaseIsOverIsRefused() throws Exception {
    JdbcDataSource dataSource = database("late");
    try (LockClient locks = Leasehold.builder(JdbcStores.using(dataSource).createTables()).build();
        Connection connection = dataSource.getConnection()) {
      DistributedLock lock = locks.lock("account-1");
      Lease lease = lock.with(LockOptions.defaults().withoutRenewal()).acquire(PATIENCE);
      assertThat(lock.breakLease(lease.fencingToken())).isTrue();
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> FencedWrites.create().guard(connection, lease))
          .isInstanceOf(LeaseLostException.class);
      connection.rollback();
    }
  }

  @Test
  void oneOfManyMigrates() throws Exception {
    AtomicInteger migrations = new AtomicInteger();
    ExecutorService instances = Executors.newFixedThreadPool(4);
    try (LockClient one = Leasehold.connect(url());
        LockClient other = Leasehold.connect(url())) {
      List<Future<?>> all = new ArrayList<>();
      for (LockClient locks : List.of(one, other, one, other)) {
        Migration migration = new Migration(locks.lock("migration"));
        all.add(
            instances.submit(
                () -> {
                  migration.run(() -> migrations.get() > 0, migrations::incrementAndGet);
                  assertThat(migrations).hasValue(1);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    } finally {
      instances.shutdownNow();
    }
    assertThat(migrations).hasValue(1);
  }

  @Test
  void whenALeaderIsDeposedAnotherLeadsUnderAHigherToken() throws Exception {
    AtomicLong token = new AtomicLong();
    AtomicInteger leads = new AtomicInteger();
    List<Leader> candidates = new ArrayList<>();
    try (LockClient one = Leasehold.connect(url() + "?ttl=2s");
        LockClient other = Leasehold.connect(url() + "?ttl=2s")) {
      for (LockClient locks : List.of(one, other)) {
        int me = candidates.size() + 1;
        candidates.add(
            new Leader(
                locks,
                seen -> {
                  leads.set(me);
                  token.accumulateAndGet(seen, Math::max);
                }));
      }
      await().atMost(PATIENCE).until(() -> token.get() > 0);
      long first = token.get();
      assertThat(one.lock("scheduler").breakLease(first)).isTrue();
      await().atMost(PATIENCE).until(() -> token.get() > first);

      int present = leads.get();
      candidates.get(present - 1).close();
      await().atMost(PATIENCE).until(() -> leads.get() != present);
      candidates.forEach(Leader::close);
    }
  }

  @Test
  void aStepOfADeposedLeaderIsInterrupted() throws Exception {
    AtomicLong token = new AtomicLong();
    CountDownLatch ended = new CountDownLatch(1);
    try (LockClient locks = Leasehold.connect(url() + "?ttl=2s");
        Leader leader =
            new Leader(
                locks,
                seen -> {
                  token.compareAndSet(0, seen);
                  LockSupport.parkNanos(PATIENCE.toNanos());
                  ended.countDown();
                })) {
      assertThat(leader).isNotNull();
      await().atMost(PATIENCE).until(() -> token.get() > 0);
      assertThat(locks.lock("scheduler").breakLease(token.get())).isTrue();
      assertThat(ended.await(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aMessageThatComesTwiceActsOnce() throws Exception {
    JdbcDataSource dataSource = database("messages");
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE handled (message VARCHAR(64) PRIMARY KEY)");
      statement.execute("CREATE TABLE invoice (id INT PRIMARY KEY, paid INT)");
      statement.execute("INSERT INTO invoice VALUES (7, 0)");
      Consumer consumer = new Consumer(dataSource);
      List<CompletableFuture<Boolean>> deliveries = new ArrayList<>();
      ExecutorService consumers = Executors.newFixedThreadPool(2);
      try {
        for (int i = 0; i < 4; i++) {
          CompletableFuture<Boolean> handled = new CompletableFuture<>();
          deliveries.add(handled);
          consumers.execute(
              () -> {
                try {
                  handled.complete(consumer.handle("m1", 7));
                } catch (SQLException e) {
                  handled.completeExceptionally(e);
                }
              });
        }
        int acted = 0;
        for (CompletableFuture<Boolean> each : deliveries) {
          acted += each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) ? 1 : 0;
        }
        assertThat(acted).isEqualTo(1);
      } finally {
        consumers.shutdownNow();
      }
      assertThat(number(statement, "SELECT paid FROM invoice")).isEqualTo(1);
    }
  }
}
