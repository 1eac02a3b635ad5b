package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that no client uses any more, on every database. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
class ServerSweepTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int JOBS = 3 * LeaseRowStore.GRANTS_A_SWEEP;

  private final String tables = SqlDatabase.newTables();

  @ParameterizedTest
  @EnumSource
  void numbersRiseOverIt(SqlDatabase database) throws Exception {
    String quote = database == SqlDatabase.MYSQL || database == SqlDatabase.MARIADB ? "`" : "\"";
    String lock = quote + tables + "_lock" + quote;
    String share = quote + tables + "_share" + quote;
    try (LockClient client = Leasehold.connect(database.storeUrl(tables));
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      long highest = 0;
      for (int i = 0; i < 5; i++) {
        try (Lease lease = client.lock("used often").acquire(LONG)) {
          highest = lease.fencingToken();
        }
      }
      client.readWriteLock("read").readLock().acquire(LONG).release();
      Lease held = client.lock("held").acquire(LONG);
      Duration twoHours = Duration.ofHours(2);
      long ago = twoHours.toNanos() / 1000;
      for (String column : new String[] {"granted", "expires", "others_until", "wanted_until"}) {
        statement.executeUpdate(
            "UPDATE "
                + lock
                + " SET "
                + column
                + " = "
                + column
                + " - "
                + ago
                + " WHERE name <> "
                + named(database, "held"));
      }
      statement.executeUpdate("UPDATE " + share + " SET expires = 0, granted = granted - " + ago);
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                sweep(client);
                assertThat(
                        count(statement, lock + " WHERE name = " + named(database, "used often")))
                    .isZero();
                assertThat(count(statement, share)).isZero();
              });
      assertThat(count(statement, lock + " WHERE name = " + named(database, "held"))).isOne();
      assertThat(held.isHeld()).isTrue();
      held.release();
      try (Lease again = client.lock("used often").acquire(LONG)) {
        assertThat(again.fencingToken()).isGreaterThan(highest);
      }
    }
  }

  /** They end by themselves. */
  @ParameterizedTest
  @EnumSource
  void leasesThatAreNeverReleasedAreSweptToo(SqlDatabase database) throws Exception {
    LockOptions atLeast = LockOptions.defaults().withoutRenewal();
    try (LockClient client = Leasehold.connect(database.storeUrl(tables));
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String quote = connection.getMetaData().getIdentifierQuoteString();
      String lock = quote + tables + "_lock" + quote;
      client.lock("old").with(atLeast).acquire(LONG);
      statement.executeUpdate(
          "UPDATE " + lock + " SET granted = 0, expires = 1, others_until = 0, wanted_until = 0");
      for (int i = 0; i < JOBS; i++) {
        client.lock("job " + i).with(atLeast).acquire(LONG);
      }
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                sweep(client);
                assertThat(count(statement, lock + " WHERE name = " + named(database, "old")))
                    .isZero();
              });
    }
  }

  /** So many grants that a sweep begins; one that meets a row in use leaves it to the next. */
  private static void sweep(LockClient client) throws InterruptedException {
    for (int i = 0; i < LeaseRowStore.GRANTS_A_SWEEP; i++) {
      client.lock("busy").acquire(LONG).release();
    }
  }

  /** H2 keeps names as bytes. */
  private static String named(SqlDatabase database, String name) {
    return database == SqlDatabase.H2 ? "CAST('" + name + "' AS VARBINARY)" : "'" + name + "'";
  }

  private static int count(Statement statement, String from) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT count(*) FROM " + from)) {
      row.next();
      return row.getInt(1);
    }
  }
}
