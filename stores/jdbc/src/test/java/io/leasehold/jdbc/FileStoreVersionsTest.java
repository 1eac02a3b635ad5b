package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.fair;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.queued;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.shared;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of an earlier version, and from which number a new one counts. */
class FileStoreVersionsTest {
  private final ManualClock clock = new ManualClock();

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void name() {
    file = dir.resolve("locks.db");
  }

  private LeaseRowStore open() {
    return Fixture.open(file, clock, "boot", StatementHook.NONE);
  }

  /** As version 1 left it: one lease, the seventh of its name, and one waiter. */
  static void makeVersion1(Path file, Ticket held, long expires) throws SQLException, IOException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement();
        InputStream schema =
            FileStoreVersionsTest.class.getResourceAsStream("sqlite-version-1.sql")) {
      String text = new String(schema.readAllBytes(), StandardCharsets.UTF_8);
      for (String sql : text.replaceAll("--[^\n]*", "").split(";", -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
      statement.execute("UPDATE leasehold_meta SET floor = 40");
      statement.execute(
          "INSERT INTO leasehold_lock VALUES ('a', 7, '%s', 'old', 'boot', 0, %s)"
              .replaceFirst("%s", held.id().toString())
              .replaceFirst("%s", Long.toString(expires)));
      statement.execute(
          "INSERT INTO leasehold_waiter VALUES ('a', 'x', 'old', 'EXCLUSIVE', 1, 0, 'boot', 0, "
              + expires
              + ")");
      statement.execute("PRAGMA application_id = " + 0x4c656173);
      statement.execute("PRAGMA user_version = 1");
    }
  }

  @Test
  void leasesAndNumbersOfVersion1GoOnAndItsWaitersHaveToComeAgain() throws Exception {
    Ticket held = tryOnce("a");
    makeVersion1(file, held, clock.nanos() + TTL.toNanos());
    try (LeaseRowStore one = open();
        LeaseRowStore two = open()) {
      assertThat(only(one, "a").waiters()).isEmpty();
      busy(two, shared(tryOnce("a")));
      queued(0, two, fair(queue("a")));
      assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, true));
      clock.advance(TTL);
      assertThat(granted(one, shared(tryOnce("a"))).number()).isEqualTo(8);
      assertThat(granted(one, tryOnce("new")).number()).isEqualTo(41);
    }
  }

  @Test
  void aProcessOfVersion1ThatIsStillUsingItFails() throws Exception {
    makeVersion1(file, tryOnce("a"), 0);
    try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + file);
        var take =
            old.prepareStatement(
                """
                INSERT INTO leasehold_lock VALUES ('a', 1, 'x', 'old', 'boot', 0, 1)
                ON CONFLICT (name) DO UPDATE SET fence = fence + 1 RETURNING fence,
                  EXISTS (SELECT 1 FROM leasehold_waiter w WHERE w.name = 'a')
                """)) {
      try (var rows = take.executeQuery()) {
        assertThat(rows.next()).isTrue();
      }
      try (LeaseRowStore store = open()) {
        assertThat(granted(store, shared(tryOnce("a"))).number()).isEqualTo(9);
        assertThatThrownBy(take::executeQuery)
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("leasehold_waiter");
      }
    }
  }

  @Test
  void r4NumbersRiseOverAFileThatWasDeletedAndMadeAgain() throws IOException {
    clock.setWall(1_800_000_000_000L);
    long last;
    try (LeaseRowStore store = open()) {
      granted(store, tryOnce("a"));
      last = granted(store, shared(tryOnce("b"))).number();
      assertThat(last).isEqualTo(1_800_000_000_001L);
    }
    Files.delete(file);
    clock.setWall(1_800_000_000_005L);
    try (LeaseRowStore store = open()) {
      assertThat(granted(store, tryOnce("b")).number()).isEqualTo(1_800_000_000_006L);
    }
    clock.setWall(1_900_000_000_000L);
    try (LeaseRowStore store = open()) {
      assertThat(granted(store, tryOnce("c")).number())
          .as("only a new file looks at the clock")
          .isEqualTo(1_800_000_000_006L);
    }
  }

  @Test
  void aWallClockBefore1970CountsFrom1() {
    clock.setWall(-5);
    try (LeaseRowStore store = open()) {
      assertThat(granted(store, tryOnce("a")).number()).isEqualTo(1);
    }
  }
}
