package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks of a transaction, on every database. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
class TransactionLocksTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  private final ExecutorService others = Executors.newCachedThreadPool();
  private final String tables = SqlDatabase.newTables();
  private final TransactionLocks locks = TransactionLocks.inTables(tables);

  @AfterEach
  void end() {
    others.shutdownNow();
  }

  private LockClient makeTables(SqlDatabase database) {
    return Leasehold.connect(database.storeUrl(tables));
  }

  @ParameterizedTest
  @EnumSource
  void anotherTransactionWaitsForTheCommit(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection one = database.begin();
        Connection two = database.begin()) {
      for (int round = 0; round < 2; round++) { // a new name, and one that is known
        locks.lock(one, "a", LONG);
        Future<?> waiting = others.submit(() -> locks.lock(two, "a", LONG));
        assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS))
            .isInstanceOf(java.util.concurrent.TimeoutException.class);
        one.commit();
        waiting.get(LONG.toSeconds(), TimeUnit.SECONDS);
        two.rollback();
      }
      assertThat(client.list()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTryWaitsForNobodyAndTheTransactionGoesOn(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection one = database.begin();
        Connection two = database.begin()) {
      assertThat(client.list()).isEmpty();
      assertThat(locks.tryLock(one, "a")).isTrue();
      assertThat(locks.tryLock(two, "a")).isFalse();
      one.commit();
      assertThat(locks.tryLock(one, "a")).isTrue();
      assertThat(locks.tryLock(one, "a")).as("re-entrant").isTrue();
      assertThat(locks.tryLock(two, "a")).isFalse();
      assertThat(locks.tryLock(two, "b")).as("the transaction goes on").isTrue();
      one.rollback();
      assertThat(locks.tryLock(two, "a")).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWaitEndsAndTheTransactionGoesOn(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection one = database.begin();
        Connection two = database.begin()) {
      assertThat(client.list()).isEmpty();
      locks.lock(one, "a", LONG);
      one.commit();
      locks.lock(one, "a", LONG);
      assertThatThrownBy(() -> locks.lock(two, "a", SHORT))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'a'");
      locks.lock(two, "b", SHORT);
      one.rollback();
      locks.lock(two, "a", LONG);
    }
  }

  /** The row was removed, which the transaction's snapshot need not know. */
  @ParameterizedTest
  @EnumSource
  void aRowThatIsGoneIsMadeAnew(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection one = database.begin();
        Connection two = database.begin();
        Connection admin = database.connect();
        Statement statement = admin.createStatement()) {
      assertThat(client.list()).isEmpty();
      String quote = admin.getMetaData().getIdentifierQuoteString();
      String rows = quote + tables + "_lock" + quote;
      for (String name : List.of("a", "b")) {
        locks.lock(one, name, LONG);
        one.commit();
        one.createStatement().executeQuery("SELECT * FROM " + rows);
        two.createStatement().executeQuery("SELECT * FROM " + rows);
        statement.executeUpdate("DELETE FROM " + rows);
        if (name.equals("a")) {
          locks.lock(one, name, SHORT);
        } else {
          assertThat(locks.tryLock(one, name)).isTrue();
        }
        assertThat(locks.tryLock(two, name)).isFalse();
        one.commit();
        two.rollback();
        assertThat(locks.tryLock(two, name)).isTrue();
        two.rollback();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfTheConnectionFrees(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection two = database.begin()) {
      assertThat(client.list()).isEmpty();
      try (Connection one = database.begin()) {
        locks.lock(one, "a", LONG);
        one.abort(Runnable::run);
      }
      locks.lock(two, "a", LONG);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLeaseIsALockOfAnotherKind(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection connection = database.begin()) {
      try (Lease lease = client.lock("a").acquire(LONG)) {
        assertThatThrownBy(() -> locks.lock(connection, "a", SHORT))
            .isInstanceOf(LockKindException.class)
            .hasMessageContaining("'a'");
        connection.rollback();
        assertThat(lease.isHeld()).isTrue();
      }
      locks.lock(connection, "a", SHORT);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotWorkIsRefused(SqlDatabase database) throws Exception {
    try (LockClient client = makeTables(database);
        Connection connection = database.connect()) {
      assertThat(client.list()).isEmpty();
      assertThatThrownBy(() -> locks.lock(connection, "a", SHORT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> TransactionLocks.inTables("nobodys").lock(connection, "a", SHORT))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("nobodys_lock");
    }
    assertThatThrownBy(() -> TransactionLocks.inTables("a;b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a;b");
  }

  /** With the isolation that the server has by itself; the row is counted without protection. */
  @ParameterizedTest
  @EnumSource
  void nothingIsLost(SqlDatabase database) throws Exception {
    int threads = 4;
    int rounds = 25;
    try (LockClient client = makeTables(database);
        Connection admin = database.connect();
        Statement statement = admin.createStatement()) {
      assertThat(client.list()).isEmpty();
      statement.execute("CREATE TABLE " + tables + "_count (n INTEGER NOT NULL)");
      statement.execute("INSERT INTO " + tables + "_count VALUES (0)");
      CyclicBarrier together = new CyclicBarrier(threads);
      List<CompletableFuture<Void>> all = new ArrayList<>();
      List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < threads; i++) {
        all.add(
            CompletableFuture.runAsync(() -> count(database, rounds, together, failures), others));
      }
      await().atMost(Duration.ofMinutes(2)).until(() -> all.stream().allMatch(f -> f.isDone()));
      assertThat(failures).isEmpty();
      try (ResultSet row = statement.executeQuery("SELECT n FROM " + tables + "_count")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(threads * rounds);
      }
    }
  }

  private void count(
      SqlDatabase database, int rounds, CyclicBarrier together, List<Throwable> failures) {
    try (Connection connection = database.begin();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      together.await(30, TimeUnit.SECONDS);
      for (int round = 0; round < rounds; round++) {
        locks.lock(connection, "counted", LONG);
        int n = read(statement);
        statement.executeUpdate("UPDATE " + tables + "_count SET n = " + (n + 1));
        connection.commit();
      }
    } catch (Exception e) {
      failures.add(e);
    }
  }

  private int read(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT n FROM " + tables + "_count")) {
      row.next();
      return row.getInt(1);
    }
  }
}
