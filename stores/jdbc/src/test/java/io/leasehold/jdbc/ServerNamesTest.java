package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names are told apart by each of their bytes, whatever the server compares by (R13). */
class ServerNamesTest extends ServerTest {
  /** Each is the same as its neighbour by some collation. */
  private static final List<String> NAMES =
      List.of(
          "ss",
          "\u00df",
          "SS",
          "a",
          "A",
          "a ",
          "a  ",
          " a",
          "a\t",
          "\u00e9",
          "e\u0301",
          "e",
          "\u0131",
          "i",
          "I",
          "\ud83d\ude00",
          "\ud83d\ude01",
          "\u200b",
          "\u00ad",
          "\ufeff",
          "\u2126",
          "\u03a9",
          "%",
          "_",
          "\\",
          "\\\\",
          "'",
          "''",
          "\"; DROP TABLE x; --",
          ":name",
          "?",
          "{now}",
          "\ud83d\ude00".repeat(255),
          "\ud83d\ude00".repeat(254) + "\ud83d\ude01");

  @ParameterizedTest
  @EnumSource
  void onADatabaseWithTheServersDefaults(Kind kind) throws Exception {
    requireApart(SharedServers.of(kind).jdbcUrl());
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL_9", "MARIADB_10_11"})
  void onADatabaseOfLatin1(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    String url = server.newDatabase();
    String database = url.replaceAll("^.*/|[?].*$", "");
    execute(
        server, "ALTER DATABASE " + database + " CHARACTER SET latin1 COLLATE latin1_german2_ci");
    requireApart(url);
  }

  @Test
  void onH2() throws Exception {
    requireApart("jdbc:h2:mem:" + tables() + ";DB_CLOSE_DELAY=-1");
  }

  private void requireApart(String url) throws Exception {
    Engine client = clientAt(url, how -> how);
    Engine other = clientAt(url, how -> how);
    List<Lease> held = new ArrayList<>();
    for (String name : NAMES) {
      held.add(client.lock(name).tryAcquire().orElseThrow(() -> new AssertionError(name)));
    }
    assertThat(client.list())
        .extracting(LockSnapshot::name)
        .containsExactlyInAnyOrderElementsOf(NAMES);
    for (String name : NAMES) {
      assertThat(client.lock(name).inspect()).as(name).isPresent();
      assertThat(client.lock(name).tryAcquire()).as(name).isEmpty();
    }
    for (Lease lease : held) {
      CompletableFuture<Lease> waiter = beginToWait(other, lease.name(), client);
      lease.ensureHeld(lease.remaining().dividedBy(2));
      lease.release();
      served(waiter).release();
      try (Lease reader = client.readWriteLock(lease.name()).readLock().acquire()) {
        assertThat(reader.isHeld()).isTrue();
      }
    }
    assertThat(client.list()).isEmpty();
  }
}
