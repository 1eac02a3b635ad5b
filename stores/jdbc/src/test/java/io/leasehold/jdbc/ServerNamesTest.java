package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(strings = {"", ";IGNORECASE=TRUE", ";MODE=Oracle", ";MODE=MySQL"})
  void onH2(String settings) throws Exception {
    requireApart("jdbc:h2:mem:" + tables() + ";DB_CLOSE_DELAY=-1" + settings);
  }

  @Test
  void onH2WithACollation() throws Exception {
    String url = "jdbc:h2:mem:" + tables() + ";DB_CLOSE_DELAY=-1";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("SET COLLATION ENGLISH STRENGTH PRIMARY");
      requireApart(url);
    }
  }

  /** Not every name can be written there, or not at its length. */
  @ParameterizedTest
  @ValueSource(strings = {"LATIN1", "SQL_ASCII"})
  void anotherEncodingIsRefused(String encoding) {
    SqlServer server = SharedServers.of(Kind.POSTGRESQL_15);
    String name = tables() + "_" + encoding.toLowerCase(Locale.ROOT);
    execute(
        server,
        "CREATE DATABASE "
            + name
            + " OWNER "
            + server.user()
            + " TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '"
            + encoding
            + "'");
    String url = server.jdbcUrl().replace("/" + server.database(), "/" + name);
    assertThat(url).contains(name);
    assertThatThrownBy(() -> clientAt(url, how -> how))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.failure()).isEqualTo(StoreException.Failure.REFUSED))
        .hasMessageContaining(encoding)
        .hasMessageContaining("UTF8");
  }

  /** A thread may have any name. */
  @ParameterizedTest
  @EnumSource
  void aHolderMayBeCalledAnything(SqlDatabase database) {
    LockStore store = closed(hooked(database.url(), StatementHook.NONE).open(NOBODY));
    for (String holder :
        List.of("x".repeat(5000), "x".repeat(999) + "\ud83d\ude00", "a\u0000b", "\ud83d", "")) {
      Ticket held = called(holder, Fixture.tryOnce("a"));
      Fixture.granted(store, held);
      Ticket waiter = called(holder, Fixture.fair(Fixture.queue("a")));
      Fixture.queued(0, store, waiter);
      assertThat(Fixture.release(store, held)).isEqualTo(Release.RELEASED);
      Ticket reader = called(holder, Fixture.shared(Fixture.tryOnce("r")));
      Fixture.granted(store, reader);
      Fixture.granted(store, waiter);
      assertThat(Fixture.release(store, waiter)).isEqualTo(Release.RELEASED);
    }
  }

  private static Ticket called(String holder, Ticket t) {
    return new Ticket(
        t.name(), t.id(), t.mode(), t.permits(), t.limit(), t.ttl(), t.intent(), t.fair(), holder);
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
