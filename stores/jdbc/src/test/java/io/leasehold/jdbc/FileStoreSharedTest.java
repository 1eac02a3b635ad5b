package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.breakLease;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.fair;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.permits;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.shared;
import static io.leasehold.jdbc.Fixture.ticket;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static io.leasehold.jdbc.Fixture.withdraw;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared leases, and permits, which are kept in the same rows; by two clients on one clock. */
class FileStoreSharedTest {
  private static final Renewal GONE = new Renewal.Gone();
  private static final Renewal WAITING = new Renewal.Waiting();
  private static final Renewal ATTEMPT_NOW = new Renewal.AttemptNow();

  private final ManualClock clock = new ManualClock();
  private final Probe probe = new Probe();

  @TempDir(factory = InMemory.class)
  Path dir;

  private LeaseRowStore one;
  private LeaseRowStore two;

  @BeforeEach
  void open() {
    one = Fixture.open(dir.resolve("locks.db"), clock, "boot", probe);
    two = Fixture.open(dir.resolve("locks.db"), clock, "boot", StatementHook.NONE);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  private static Ticket reader(String name) {
    return shared(tryOnce(name));
  }

  /** One ticket for each way in which several may hold a name. */
  private static List<Ticket> ofEachKind(String name) {
    return List.of(reader(name), permits(2, 3, tryOnce(name + " permits")));
  }

  @Test
  void r1ReadersShareAndExcludeWriters() {
    Ticket first = reader("a");
    Ticket second = reader("a");
    assertThat(granted(one, first)).isEqualTo(new Attempt.Granted(1, TTL, false));
    clock.advance(Duration.ofMinutes(1));
    assertThat(granted(two, second)).isEqualTo(new Attempt.Granted(2, TTL, false));
    assertThat(busy(one, tryOnce("a")))
        .as("the first of them to end")
        .isEqualTo(new Attempt.Busy(TTL.minusMinutes(1), first.holder()));
    release(two, first);
    busy(two, tryOnce("a"));
    release(one, second);
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(3);
    busy(one, reader("a"));
  }

  @Test
  void r4AReadersNumberIsAboveEarlierWritersAndBelowLaterOnes() {
    long last = 0;
    for (int round = 0; round < 3; round++) {
      Ticket writer = tryOnce("a");
      assertThat(granted(one, writer).number()).isEqualTo(++last);
      release(one, writer);
      Ticket reader = reader("a");
      assertThat(granted(two, reader).number()).isEqualTo(++last);
      Ticket other = reader("a");
      assertThat(granted(one, other).number()).isEqualTo(++last);
      if (round == 0) {
        release(one, reader);
        withdraw(two, other);
      } else {
        clock.advance(TTL);
      }
    }
  }

  @Test
  void r4NumbersOfSharedLeasesRiseOverSweepAndRestart() {
    Ticket long1 = shared(ticket("a", Ticket.Intent.TRY, Duration.ofDays(1)));
    granted(one, long1);
    granted(one, reader("a"));
    clock.advance(Duration.ofHours(2));
    one.sweep();
    one.close();
    two.close();
    open();
    busy(one, tryOnce("a"));
    assertThat(granted(one, long1).number()).as("still held").isEqualTo(1);
    assertThat(granted(two, reader("a")).number()).isEqualTo(3);
  }

  @Test
  void r10AnExpiredReaderIsInNobodysWay() {
    for (Ticket held : ofEachKind("a")) {
      granted(one, held);
    }
    clock.advance(TTL.minusNanos(1));
    busy(two, tryOnce("a"));
    busy(two, permits(2, 3, tryOnce("a permits")));
    clock.advance(Duration.ofNanos(1));
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
    assertThat(granted(two, tryOnce("a permits")).number()).isEqualTo(2);
  }

  @Test
  void r3ARepeatHasTheSameNumberAndWhatRemains() {
    for (Ticket held : ofEachKind("a")) {
      granted(one, held);
      clock.advance(Duration.ofMinutes(3));
      assertThat(attempt(two, held)).isEqualTo(new Attempt.Granted(1, TTL.minusMinutes(3), false));
      busy(two, queued(held));
      assertThat(attempt(one, held)).isEqualTo(new Attempt.Granted(1, TTL.minusMinutes(3), true));
      clock.advance(TTL.minusMinutes(3));
      assertThat(renew(one, held)).as("it was not extended").isEqualTo(GONE);
    }
  }

  /** One that has to wait for this one. */
  private static Ticket queued(Ticket held) {
    return held.mode() == LockMode.SHARED ? queue(held.name()) : permits(2, 3, queue(held.name()));
  }

  @Test
  void r3AnIdThatWasReleasedWithdrawnBrokenOrHasExpiredIsNotGrantedAgain() {
    for (int way = 0; way < 4; way++) {
      for (Ticket held : ofEachKind("a" + way)) {
        granted(one, held);
        switch (way) {
          case 0 -> release(one, held);
          case 1 -> withdraw(two, held);
          case 2 -> breakLease(two, held.name(), 1);
          default -> clock.advance(TTL);
        }
        assertThat(busy(two, held)).isEqualTo(new Attempt.Busy(Duration.ZERO, ""));
        assertThat(renew(one, held)).isEqualTo(GONE);
        assertThat(release(one, held)).isEqualTo(Release.NOT_HELD);
      }
    }
  }

  @Test
  void r3AReaderThatEndedIsNotGrantedAgainThoughAnotherWasGrantedAfterIt() {
    Ticket first = reader("a");
    granted(one, first);
    granted(two, reader("a"));
    release(one, first);
    assertThat(busy(one, first)).matches(answer -> !answer.holder().equals(first.holder()));
    assertThat(only(one, "a").holders()).hasSize(1);
  }

  @Test
  void r6r8EachIsRenewedReleasedAndBrokenByItself() {
    Ticket first = reader("a");
    Ticket second = reader("a");
    Ticket third = reader("a");
    for (Ticket held : List.of(first, second, third)) {
      granted(one, held);
    }
    clock.advance(Duration.ofMinutes(9));
    assertThat(renew(two, List.of(first, second, reader("a"))).values())
        .containsExactlyInAnyOrder(
            new Renewal.Renewed(TTL, false), new Renewal.Renewed(TTL, false), GONE);
    clock.advance(Duration.ofMinutes(1));
    assertThat(renew(one, third)).isEqualTo(GONE);
    assertThat(breakLease(two, "a", 3)).as("it had expired").isFalse();
    assertThat(breakLease(two, "b", 1)).isFalse();
    assertThat(breakLease(two, "a", 1)).isTrue();
    assertThat(breakLease(two, "a", 1)).isFalse();
    assertThat(renew(one, first)).isEqualTo(GONE);
    assertThat(release(one, second)).isEqualTo(Release.RELEASED);
    assertThat(release(one, second)).isEqualTo(Release.NOT_HELD);
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(4);
  }

  @Test
  void aWriterThatWaitsStopsReadersThatComeLaterAndNoOthers() {
    Ticket reading = reader("a");
    Ticket before = shared(queue("b"));
    granted(one, reading);
    Ticket writing = tryOnce("b");
    granted(one, writing);
    busy(one, before);
    for (String name : List.of("a", "b")) {
      busy(two, queue(name));
    }
    assertThat(renew(one, reading)).isEqualTo(new Renewal.Renewed(TTL, true));
    assertThat(granted(one, reading)).as("a repeat").matches(g -> g.number() == 1 && g.wanted());
    busy(one, reader("a"));
    Ticket later = shared(queue("a"));
    busy(one, later);
    assertThat(renew(one, later)).isEqualTo(WAITING);
    release(one, reading);
    busy(one, reader("a"));
    assertThat(renew(one, later)).as("though nobody holds it").isEqualTo(WAITING);
    release(one, writing);
    assertThat(renew(one, before)).isEqualTo(ATTEMPT_NOW);
    assertThat(granted(one, before)).matches(Attempt.Granted::wanted);
  }

  @Test
  void aWriterThatDiedWhileItWaitedStopsReadersForFiveSecondsAtMost() {
    Ticket reading = reader("a");
    granted(one, reading);
    busy(two, queue("a"));
    Ticket later = shared(queue("a"));
    busy(one, later);
    clock.advance(Duration.ofMillis(4999));
    busy(one, reader("a"));
    assertThat(renew(one, later)).isEqualTo(WAITING);
    clock.advance(Duration.ofMillis(1));
    assertThat(renew(one, later)).isEqualTo(ATTEMPT_NOW);
    assertThat(granted(one, reader("a"))).matches(Attempt.Granted::wanted);
  }

  @Test
  void aWriterThatGaveUpStopsNobody() {
    granted(one, reader("a"));
    Ticket writer = queue("a");
    busy(two, writer);
    assertThat(withdraw(two, writer)).isTrue();
    assertThat(granted(one, reader("a")).wanted()).isFalse();
  }

  @Test
  void r1NoMorePermitsAreOutThanThereAreAndNoneInPart() {
    Ticket three = permits(3, 5, tryOnce("a"));
    granted(one, three);
    busy(two, permits(3, 5, tryOnce("a")));
    Ticket two1 = permits(2, 5, tryOnce("a"));
    assertThat(granted(two, two1).number()).isEqualTo(2);
    assertThat(busy(one, permits(1, 5, tryOnce("a"))).holder()).isEqualTo(three.holder());
    release(one, three);
    Ticket all = permits(5, 5, queue("a"));
    busy(one, all);
    assertThat(renew(one, all)).isEqualTo(WAITING);
    release(two, two1);
    assertThat(renew(one, all)).isEqualTo(ATTEMPT_NOW);
    assertThat(granted(one, all).number()).isEqualTo(3);
    busy(two, permits(1, 5, tryOnce("a")));
  }

  @Test
  void anotherKindIsAnErrorWhileAnybodyHoldsOrWaitsAndLeavesNothingBehind() {
    Ticket plain = tryOnce("a");
    granted(one, plain);
    assertThat(attempt(two, permits(1, 1, queue("a")))).isEqualTo(exclusive());
    busy(two, shared(tryOnce("a")));
    Ticket waiting = shared(queue("a"));
    busy(two, waiting);
    release(one, plain);
    Attempt.OtherKind byWaiter = new Attempt.OtherKind(LockMode.SHARED, 1);
    assertThat(attempt(two, permits(1, 3, queue("a")))).isEqualTo(byWaiter);
    assertThat(only(one, "a").waiters()).hasSize(1);
    granted(two, waiting);
    assertThat(attempt(one, permits(1, 3, fair(queue("a"))))).isEqualTo(byWaiter);
    release(two, waiting);

    Ticket permits = permits(1, 3, tryOnce("a"));
    granted(one, permits);
    Attempt.OtherKind three = new Attempt.OtherKind(LockMode.PERMITS, 3);
    for (Ticket other :
        List.of(queue("a"), shared(queue("a")), permits(1, 4, queue("a")), fair(queue("a")))) {
      assertThat(attempt(two, other)).isEqualTo(three);
    }
    assertThat(only(two, "a").waiters()).isEmpty();
    granted(two, permits(2, 3, tryOnce("a")));
    Ticket waitsForPermits = permits(3, 3, queue("a"));
    busy(two, waitsForPermits);
    clock.advance(Duration.ofSeconds(1));
    breakLease(one, "a", 3);
    breakLease(one, "a", 4);
    assertThat(attempt(one, tryOnce("a"))).as("only waited for").isEqualTo(three);
    assertThat(attempt(one, permits(1, 4, tryOnce("a")))).isEqualTo(three);
    clock.advance(Duration.ofSeconds(5));
    assertThat(granted(one, tryOnce("a")).number()).as("by nobody alive").isEqualTo(5);
  }

  private static Attempt.OtherKind exclusive() {
    return new Attempt.OtherKind(LockMode.EXCLUSIVE, 1);
  }

  @Test
  void operatorsSeeAllHoldersAndWaiters() {
    Ticket reader = reader("a");
    Ticket writer = queue("a");
    Ticket later = shared(queue("a"));
    Ticket some = permits(2, 3, tryOnce("b"));
    granted(one, reader);
    granted(one, reader("a"));
    clock.advance(Duration.ofSeconds(1));
    busy(two, writer);
    busy(two, later);
    granted(two, some);
    LockSnapshot seen = only(two, "a");
    assertThat(seen.holders()).hasSize(2);
    assertThat(seen.holders().get(0))
        .isEqualTo(
            new LockSnapshot.Holder(
                reader.id().toString(),
                reader.holder(),
                LockMode.SHARED,
                1,
                FenceNumber.token(1, 0),
                Duration.ofSeconds(1),
                TTL.minusSeconds(1)));
    assertThat(seen.waiters())
        .extracting(LockSnapshot.Waiter::leaseId, LockSnapshot.Waiter::mode)
        .containsExactly(
            tuple(writer.id().toString(), LockMode.EXCLUSIVE),
            tuple(later.id().toString(), LockMode.SHARED));
    assertThat(only(one, "b").holders())
        .singleElement()
        .matches(h -> h.mode() == LockMode.PERMITS && h.permits() == 2);
  }

  @Test
  void anAttemptIsFourStatementsAtMostAndAReleaseOne() {
    Ticket reader = reader("a");
    release(one, reader);
    probe.taken();
    granted(one, reader);
    assertThat(statements()).as("granted").isEqualTo(3);
    granted(one, reader);
    assertThat(statements()).as("repeated").isEqualTo(3);
    busy(one, queue("a"));
    assertThat(statements()).as("must wait").isEqualTo(3);
    Ticket waiting = fair(shared(queue("a")));
    attempt(one, waiting);
    assertThat(statements()).as("must wait in order").isEqualTo(4);
    release(one, reader);
    assertThat(statements()).as("released").isEqualTo(1);
    clock.advance(Duration.ofSeconds(6));
    granted(one, waiting);
    assertThat(statements()).as("granted after it waited").isEqualTo(4);
  }

  private long statements() {
    return probe.taken().stream()
        .filter(sql -> !sql.startsWith("BEGIN") && !sql.startsWith("COMMIT"))
        .count();
  }

  @Test
  void whatHasEndedDoesNotPileUp() throws SQLException {
    for (int i = 0; i < 1000; i++) {
      Ticket held = i % 2 == 0 ? reader("a") : permits(1, 2, tryOnce("a"));
      granted(one, held);
      release(one, held);
    }
    assertThat(Fixture.rows(dir.resolve("locks.db"), "leasehold_share")).isEqualTo(1);
    clock.advance(Duration.ofHours(1));
    one.sweep();
    assertThat(Fixture.rows(dir.resolve("locks.db"), "leasehold_share")).isZero();
    assertThat(granted(two, reader("a")).number()).isEqualTo(1001);
  }
}
