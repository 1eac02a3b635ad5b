package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server forgets the last numbers it gave, as in a failover: tokens rise over that (R4). */
class RestoredTableTest extends ServerTest {
  private static void execute(SqlDatabase database, String sql) throws Exception {
    String quoted =
        database == SqlDatabase.MYSQL || database == SqlDatabase.MARIADB
            ? sql.replace('"', '`')
            : sql;
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(quoted);
    }
  }

  private String table(String name) {
    return '"' + tables() + '_' + name + '"';
  }

  private static long token(Lease lease) {
    long token = lease.fencingToken();
    assertThat(FenceNumber.number(token)).isBetween(1L, FenceNumber.MAX);
    lease.release();
    return token;
  }

  /** The highest token of each kind of lock. */
  private static long used(Engine client) throws Exception {
    long alone = token(client.lock("alone").acquire());
    long shared = token(client.readWriteLock("shared").readLock().acquire());
    return Math.max(Math.max(alone, shared), token(client.semaphore("permits", 3).acquire()));
  }

  @ParameterizedTest
  @EnumSource
  void byACopyThatIsRestored(SqlDatabase database) throws Exception {
    Engine client = clientAt(database.url(), how -> how);
    used(client);
    execute(database, "CREATE TABLE " + table("copy") + " AS SELECT * FROM " + table("lock"));
    long last = used(client);
    for (int i = 0; i < 3; i++) {
      last = used(client);
    }
    execute(database, "DELETE FROM " + table("lock"));
    execute(database, "INSERT INTO " + table("lock") + " SELECT * FROM " + table("copy"));
    assertThat(token(client.lock("alone").acquire())).isGreaterThan(last);
    assertThat(token(client.readWriteLock("shared").readLock().acquire())).isGreaterThan(last);
    assertThat(token(client.semaphore("permits", 3).acquire())).isGreaterThan(last);
  }

  @ParameterizedTest
  @EnumSource
  void byTablesThatAreDropped(SqlDatabase database) throws Exception {
    long last = 0;
    for (int i = 0; i < 3; i++) {
      Engine client = clientAt(database.url(), how -> how);
      assertThat(token(client.lock("alone").acquire())).isGreaterThan(last);
      last = used(client);
      client.close();
      for (String table : new String[] {"lock", "share", "queue", "meta"}) {
        execute(database, "DROP TABLE " + table(table));
      }
    }
  }

  /** From such a number none could rise for long. */
  @ParameterizedTest
  @EnumSource
  void aNumberAheadOfTheClockRisesByOne(SqlDatabase database) throws Exception {
    Engine client = clientAt(database.url(), how -> how);
    token(client.lock("a").acquire());
    execute(database, "UPDATE " + table("lock") + " SET fence = 7258118400000001");
    assertThat(FenceNumber.number(token(client.lock("a").acquire()))).isEqualTo(7258118400000002L);
    assertThat(FenceNumber.number(token(client.readWriteLock("a").readLock().acquire())))
        .isEqualTo(7258118400000003L);
  }
}
