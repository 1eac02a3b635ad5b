package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Ticket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of names that no client uses any more go away, and take no number with them (R4). */
class FileStoreSweepTest {
  private static final int NAMES = 10_000;

  private final ManualClock clock = new ManualClock();

  @TempDir(factory = InMemory.class)
  Path dir;

  @Test
  void tenThousandNamesThatAreUsedOnceDoNotStay() throws SQLException {
    try (LeaseRowStore store = open("boot")) {
      Ticket kept = tryOnce("n5000 held");
      granted(store, kept);
      long highest = 0;
      for (int i = 0; i < NAMES; i++) {
        Ticket held = tryOnce("n" + i);
        highest = Math.max(highest, granted(store, held).number());
        release(store, held);
      }
      assertThat(rows()).isEqualTo(NAMES + 1);
      clock.advance(Duration.ofMinutes(9));
      store.renew(List.of(kept), Fixture.WITHIN, (id, answer) -> {});
      clock.advance(Duration.ofMinutes(51));
      // Each release is one of 64 that looks at 128 rows.
      for (int i = 0; i < NAMES; i++) {
        Ticket held = tryOnce("other");
        granted(store, held);
        release(store, held);
        if (i % 1000 == 0) {
          clock.advance(Duration.ofSeconds(1));
        }
      }
      assertThat(rows()).isLessThanOrEqualTo(3);
      assertThat(granted(store, tryOnce("n1")).number()).isGreaterThan(highest);
      assertThat(granted(store, tryOnce("never seen")).number()).isGreaterThan(highest);
    }
  }

  @Test
  void aNameThatComesBackStartsAboveEverythingSwept() {
    try (LeaseRowStore store = open("boot")) {
      for (int i = 0; i < 5; i++) {
        use(store, "often");
      }
      use(store, "once");
      clock.advance(Duration.ofHours(1));
      store.sweep();
      assertThat(granted(store, tryOnce("once")).number()).isEqualTo(6);
      assertThat(granted(store, tryOnce("often")).number()).isEqualTo(6);
      clock.advance(Duration.ofHours(2));
      store.sweep();
      store.sweep();
      assertThat(granted(store, tryOnce("often")).number()).isEqualTo(7);
    }
  }

  @Test
  void whatIsHeldOrWasUsedWithinTheHourStays() throws SQLException {
    try (LeaseRowStore store = open("boot")) {
      use(store, "used");
      Ticket held = Fixture.ticket("held", Ticket.Intent.TRY, Duration.ofDays(1));
      granted(store, held);
      clock.advance(Duration.ofHours(1).minusNanos(1));
      store.sweep();
      assertThat(rows()).isEqualTo(2);
      clock.advance(Duration.ofNanos(1));
      store.sweep();
      assertThat(rows()).isEqualTo(1);
      assertThat(granted(store, held).number()).isEqualTo(1);
    }
  }

  @Test
  void rowsOfAnEarlierBootGoAtOnce() throws SQLException {
    try (LeaseRowStore store = open("earlier")) {
      granted(store, tryOnce("a"));
      use(store, "b");
      use(store, "b");
    }
    try (LeaseRowStore store = open("boot")) {
      store.sweep();
      assertThat(rows()).isZero();
      assertThat(granted(store, tryOnce("a")).number()).isEqualTo(3);
    }
  }

  @Test
  void theSweepGoesRoundAllNamesThoughEveryProcessMakesOneGrant() throws SQLException {
    List<Ticket> held = new ArrayList<>();
    try (LeaseRowStore store = open("boot")) {
      // More live rows at the beginning than one sweep looks at.
      for (int i = 0; i < 2 * SqliteSweep.ROWS; i++) {
        Ticket live = Fixture.ticket("a" + i, Ticket.Intent.TRY, Duration.ofDays(1));
        granted(store, live);
        held.add(live);
      }
      use(store, "z");
    }
    clock.advance(Duration.ofHours(1));
    for (int i = 0; i < 4; i++) {
      try (LeaseRowStore store = open("boot")) {
        store.sweep();
      }
    }
    assertThat(rows()).isEqualTo(held.size());
  }

  private static void use(LeaseRowStore store, String name) {
    Ticket held = tryOnce(name);
    granted(store, held);
    release(store, held);
  }

  private LeaseRowStore open(String boot) {
    return Fixture.open(dir.resolve("locks.db"), clock, boot, StatementHook.NONE);
  }

  private long rows() throws SQLException {
    return Fixture.rows(dir.resolve("locks.db"), "leasehold_lock");
  }
}
