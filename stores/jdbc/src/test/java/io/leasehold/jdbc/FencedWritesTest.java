package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Data that protects itself, on every database. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
class FencedWritesTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir Path dir;

  private final ExecutorService others = Executors.newCachedThreadPool();
  private final String tables = SqlDatabase.newTables();
  private final FencedWrites writes = FencedWrites.inTables(tables);

  @AfterEach
  void end() {
    others.shutdownNow();
  }

  private LockClient client(SqlDatabase database) {
    return Leasehold.connect(database.storeUrl(tables));
  }

  @ParameterizedTest
  @EnumSource
  void aLeaseThatIsOverIsRefused(SqlDatabase database) throws Exception {
    try (LockClient client = client(database);
        Connection connection = database.begin()) {
      Lease lease = client.lock("a").acquire(LONG);
      writes.guard(connection, lease);
      connection.commit();
      lease.release();
      assertThatThrownBy(() -> writes.guard(connection, lease))
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("'a'")
          .hasMessageContaining("roll back");
      connection.rollback();
      try (Lease next = client.lock("a").acquire(LONG)) {
        assertThatThrownBy(() -> writes.guard(connection, lease))
            .isInstanceOf(LeaseLostException.class);
        connection.rollback();
        writes.guard(connection, next);
        connection.rollback();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSharedLeaseIsGuardedToo(SqlDatabase database) throws Exception {
    try (LockClient client = client(database);
        Connection connection = database.begin()) {
      Lease reader = client.readWriteLock("a").readLock().acquire(LONG);
      writes.guard(connection, reader);
      connection.commit();
      reader.release();
      assertThatThrownBy(() -> writes.guard(connection, reader))
          .isInstanceOf(LeaseLostException.class);
    }
  }

  /** Its transaction has a snapshot from before, where the isolation is such. */
  @ParameterizedTest
  @MethodSource("everyIsolationOfEveryDatabase")
  void aBrokenSharedLeaseIsRefused(SqlDatabase database, int isolation) throws Exception {
    try (LockClient client = client(database);
        LockClient other = client(database);
        Connection connection = database.connect()) {
      Lease reader = client.readWriteLock("a").readLock().acquire(LONG);
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        String quote = connection.getMetaData().getIdentifierQuoteString();
        statement.executeQuery("SELECT * FROM " + quote + tables + "_queue" + quote);
      }
      assertThat(other.lock("a").breakLease(reader.fencingToken())).isTrue();
      assertThatThrownBy(() -> writes.guard(connection, reader))
          .as("lost, or refused by an isolation that cannot tell")
          .isInstanceOfAny(LeaseLostException.class, StoreException.class);
      connection.rollback();
      try (Lease writer = other.lock("a").acquire(LONG)) {
        assertThat(writer.fencingToken()).isGreaterThan(reader.fencingToken());
        assertThatThrownBy(() -> writes.guard(connection, reader))
            .isInstanceOf(LeaseLostException.class);
        connection.rollback();
      }
    }
  }

  static Stream<Arguments> everyIsolationOfEveryDatabase() {
    return Arrays.stream(SqlDatabase.values())
        .flatMap(
            database ->
                Stream.of(
                        Connection.TRANSACTION_READ_COMMITTED,
                        Connection.TRANSACTION_REPEATABLE_READ,
                        Connection.TRANSACTION_SERIALIZABLE)
                    .map(isolation -> Arguments.of(database, isolation)));
  }

  /** Its ttl is over, and the next would be granted; but not before the transaction has ended. */
  @ParameterizedTest
  @EnumSource
  void nobodyIsGrantedBeforeTheTransactionEnds(SqlDatabase database) throws Exception {
    try (LockClient client = client(database);
        LockClient other = client(database);
        Connection connection = database.begin()) {
      Lease lease =
          client
              .lock("a")
              .with(LockOptions.defaults().withTtl(SHORT).withoutRenewal())
              .acquire(LONG);
      writes.guard(connection, lease);
      Future<Lease> next = others.submit(() -> other.lock("a").acquire(LONG));
      assertThatThrownBy(() -> next.get(1500, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      assertThat(lease.isHeld()).as("its ttl is over").isFalse();
      connection.commit();
      try (Lease granted = next.get(LONG.toSeconds(), TimeUnit.SECONDS)) {
        assertThat(granted.fencingToken()).isGreaterThan(lease.fencingToken());
      }
    }
  }

  /** One guarded lease keeps no other from being renewed, and is renewed after its transaction. */
  @ParameterizedTest
  @EnumSource
  void othersAreRenewedMeanwhile(SqlDatabase database) throws Exception {
    Duration ttl = Duration.ofSeconds(2);
    try (LockClient client = client(database);
        Connection connection = database.begin()) {
      Lease guarded =
          client.lock("guarded").with(LockOptions.defaults().withTtl(ttl)).acquire(LONG);
      Lease free = client.lock("free").with(LockOptions.defaults().withTtl(ttl)).acquire(LONG);
      writes.guard(connection, guarded);
      pass(ttl.plusMillis(500));
      assertThat(free.isHeld()).isTrue();
      assertThat(guarded.isHeld()).as("not renewed while it is guarded").isFalse();
      connection.commit();
      free.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRowRefusesALowerToken(SqlDatabase database) throws Exception {
    makeAccount(database);
    try (Connection connection = database.connect()) {
      String table = account(database);
      String[] columns = {name(database, "id"), name(database, "token")};
      assertThat(FencedWrites.raise(connection, table, columns[0], 1, columns[1], 7)).isTrue();
      assertThat(FencedWrites.raise(connection, table, columns[0], 1, columns[1], 7)).isTrue();
      assertThat(FencedWrites.raise(connection, table, columns[0], 1, columns[1], 9)).isTrue();
      assertThat(FencedWrites.raise(connection, table, columns[0], 1, columns[1], 8)).isFalse();
      assertThat(FencedWrites.raise(connection, table, columns[0], 2, columns[1], 8)).isFalse();
      assertThatThrownBy(() -> FencedWrites.raise(connection, "a\"`b", "id", 1, "token", 8))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Without the guard its late write undoes what the next holder wrote. */
  @ParameterizedTest
  @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
  void aHolderThatWasStoppedLosesAnUpdateWithoutTheGuard(SqlDatabase database) throws Exception {
    assertThat(stoppedHolder(database, "unguarded")).isEqualTo("written");
    assertThat(balance(database)).as("an update was lost").isEqualTo(101);
  }

  @ParameterizedTest
  @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
  void aHolderThatWasStoppedIsRefusedByTheGuard(SqlDatabase database) throws Exception {
    assertThat(stoppedHolder(database, "guarded")).startsWith("refused");
    assertThat(balance(database)).isEqualTo(110);
  }

  /** One reads 100 and is stopped; another adds 10; the first goes on, and adds 1. */
  private String stoppedHolder(SqlDatabase database, String how) throws Exception {
    makeAccount(database);
    try (Child holder = Child.start(dir, Adder.class, database.url(), tables, how);
        LockClient client = client(database)) {
      holder.say("go");
      assertThat(said(holder)).isEqualTo("read 100");
      holder.signal("STOP");
      try (Lease next = client.lock("account").acquire(LONG);
          Connection connection = database.begin();
          Statement statement = connection.createStatement()) {
        writes.guard(connection, next);
        statement.executeUpdate("UPDATE " + tables + "_account SET balance = balance + 10");
        connection.commit();
      }
      holder.signal("CONT");
      holder.say("go on");
      return said(holder);
    }
  }

  /** The next line that is not a log's: it is told there too that its lease was lost. */
  private static String said(Child holder) {
    while (true) {
      String line = holder.line();
      if (line.matches("(read|written|refused).*")) {
        return line;
      }
    }
  }

  private void makeAccount(SqlDatabase database) throws Exception {
    try (LockClient client = client(database);
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      assertThat(client.list()).isEmpty();
      statement.execute(
          "CREATE TABLE "
              + tables
              + "_account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, token BIGINT NOT NULL)");
      statement.execute("INSERT INTO " + tables + "_account VALUES (1, 100, 0)");
    }
  }

  private String account(SqlDatabase database) {
    return name(database, tables + "_account");
  }

  /** As the database spells what was not quoted. */
  private static String name(SqlDatabase database, String name) {
    return database == SqlDatabase.H2 ? name.toUpperCase(java.util.Locale.ROOT) : name;
  }

  private int balance(SqlDatabase database) throws Exception {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM " + tables + "_account")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void pass(Duration time) {
    long begin = System.nanoTime();
    org.awaitility.Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(time.plus(LONG))
        .until(() -> System.nanoTime() - begin > time.toNanos());
  }
}
