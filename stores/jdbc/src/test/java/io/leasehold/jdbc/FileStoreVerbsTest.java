package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.WITHIN;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.breakLease;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.list;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.ticket;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static io.leasehold.jdbc.Fixture.withdraw;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every verb's rules, by two clients on one clock. */
class FileStoreVerbsTest {
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

  @Test
  void itDeclaresWhatItIs() {
    Traits traits = one.traits();
    assertThat(traits.store()).isEqualTo("file");
    assertThat(traits.has())
        .containsExactlyInAnyOrder(
            Trait.FENCING, Trait.LINEARIZABLE, Trait.SURVIVES_RESTART, Trait.FIFO);
    assertThat(traits.calls()).isEqualTo(Traits.Calls.BLOCKING);
    assertThat(traits.poll().signals()).isEqualTo(Traits.Signals.NONE);
    assertThat(traits.minTtl()).isEqualTo(Duration.ofMillis(100));
    assertThat(traits.life()).isEqualTo(Traits.Life.TTL);
  }

  @Test
  void r1OnlyOneIsGranted() {
    Ticket first = tryOnce("a");
    assertThat(granted(one, first)).isEqualTo(new Attempt.Granted(1, TTL, false));
    assertThat(busy(two, tryOnce("a"))).isEqualTo(new Attempt.Busy(TTL, first.holder()));
  }

  @Test
  void namesDoNotConcernEachOther() {
    granted(one, tryOnce("a"));
    assertThat(granted(two, tryOnce("b")).number()).isEqualTo(1);
  }

  @Test
  void busyTellsWhenItMayComeFree() {
    granted(one, tryOnce("a"));
    clock.advance(Duration.ofMinutes(4));
    assertThat(busy(two, tryOnce("a")).retryAfter()).isEqualTo(Duration.ofMinutes(6));
  }

  @Test
  void r10AnExpiredLeaseIsTakenOverAtItsEndAndNotBefore() {
    granted(one, tryOnce("a"));
    clock.advance(TTL.minusNanos(1));
    busy(two, tryOnce("a"));
    clock.advance(Duration.ofNanos(1));
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void r3ARepeatedAttemptHasTheSameNumberAndWhatRemains() {
    Ticket held = tryOnce("a");
    granted(one, held);
    clock.advance(Duration.ofMinutes(3));
    Attempt again = new Attempt.Granted(1, Duration.ofMinutes(7), false);
    assertThat(attempt(one, held)).isEqualTo(again);
    assertThat(attempt(two, held)).as("of another connection").isEqualTo(again);
    clock.advance(Duration.ofMinutes(7));
    assertThat(granted(two, tryOnce("a")).number()).as("it was not extended").isEqualTo(2);
  }

  @Test
  void r3ARepeatedAttemptHearsThatSomebodyWaits() {
    Ticket held = tryOnce("a");
    granted(one, held);
    busy(two, queue("a"));
    assertThat(granted(one, held).wanted()).isTrue();
  }

  @Test
  void r3AReleasedIdIsNotGrantedAgain() {
    Ticket held = queue("a");
    granted(one, held);
    release(one, held);
    assertThat(busy(one, held).retryAfter()).isZero();
    assertThat(list(one)).as("nor does it wait").isEmpty();
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void r3AnExpiredIdIsNotGrantedAgain() {
    Ticket held = tryOnce("a");
    granted(one, held);
    clock.advance(TTL);
    busy(one, held);
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void r9AWithdrawnIdIsNotGrantedAgain() {
    Ticket held = tryOnce("a");
    granted(one, held);
    withdraw(one, held);
    busy(one, held);
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void aTryThatFindsItBusyLeavesNoTrace() {
    Ticket held = tryOnce("a");
    granted(one, held);
    busy(two, tryOnce("a"));
    assertThat(only(one, "a").waiters()).isEmpty();
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, false));
  }

  @Test
  void aWaiterIsSeenByTheHolderAndByOperators() {
    Ticket held = tryOnce("a");
    Ticket waiting = queue("a");
    granted(one, held);
    clock.advance(Duration.ofSeconds(1));
    busy(two, waiting);
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, true));
    clock.advance(Duration.ofSeconds(2));
    LockSnapshot seen = only(one, "a");
    assertThat(seen.holders())
        .containsExactly(
            new LockSnapshot.Holder(
                held.id().toString(),
                held.holder(),
                LockMode.EXCLUSIVE,
                1,
                FenceNumber.token(1, 0),
                Duration.ofSeconds(3),
                TTL.minusSeconds(2)));
    assertThat(seen.waiters())
        .containsExactly(
            new LockSnapshot.Waiter(
                waiting.id().toString(),
                waiting.holder(),
                LockMode.EXCLUSIVE,
                Duration.ofSeconds(2)));
  }

  @Test
  void aGrantTellsWhetherAnotherWaitsAndTakesItsOwnWaiterAway() {
    Ticket held = tryOnce("a");
    Ticket next = queue("a");
    Ticket last = queue("a");
    granted(one, held);
    busy(two, next);
    busy(two, last);
    release(one, held);
    assertThat(granted(two, next)).isEqualTo(new Attempt.Granted(2, TTL, true));
    assertThat(only(one, "a").waiters())
        .extracting(LockSnapshot.Waiter::leaseId)
        .containsExactly(last.id().toString());
    release(two, next);
    assertThat(granted(two, last)).isEqualTo(new Attempt.Granted(3, TTL, false));
    assertThat(only(one, "a").waiters()).isEmpty();
  }

  @Test
  void aDeadWaiterIsForgottenSoon() {
    Ticket held = tryOnce("a");
    granted(one, held);
    busy(two, queue("a"));
    clock.advance(Duration.ofSeconds(5));
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, false));
    assertThat(only(one, "a").waiters()).isEmpty();
  }

  @Test
  void aWaiterWithAShortTtlLapsesWithIt() {
    Ticket held = tryOnce("a");
    granted(one, held);
    busy(two, ticket("a", Ticket.Intent.QUEUE, Duration.ofSeconds(1)));
    clock.advance(Duration.ofMillis(999));
    assertThat(only(one, "a").waiters()).hasSize(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(only(one, "a").waiters()).isEmpty();
  }

  @Test
  void r9AWithdrawnWaiterLeavesNoTrace() {
    Ticket held = tryOnce("a");
    Ticket waiting = queue("a");
    granted(one, held);
    busy(two, waiting);
    assertThat(withdraw(two, waiting)).isTrue();
    assertThat(only(one, "a").waiters()).isEmpty();
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, false));
    assertThat(renew(two, waiting))
        .as("and renewal brings nothing back")
        .isEqualTo(new Renewal.Gone());
    assertThat(only(one, "a").waiters()).isEmpty();
  }

  @Test
  void r9WithdrawFreesWhatWasGranted() {
    Ticket held = tryOnce("a");
    granted(one, held);
    assertThat(withdraw(two, held)).isTrue();
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void r9WithdrawIsNotFinalWhileAnAttemptIsUnderWay() {
    Ticket late = tryOnce("a");
    boolean[] isFinal = {true};
    // The attempt has begun and has not reached the database: the withdrawal overtakes it.
    probe.beforeNext("BEGIN", () -> isFinal[0] = withdraw(sameClient(), late));
    granted(one, late);
    assertThat(isFinal[0]).isFalse();
    assertThat(withdraw(one, late)).isTrue();
    granted(two, tryOnce("a"));
  }

  /** The same store, as another thread of the client would use it while {@code one} is asking. */
  private LeaseRowStore sameClient() {
    return one;
  }

  @Test
  void r8OnlyTheLeaseOfThisIdIsReleased() {
    Ticket first = tryOnce("a");
    granted(one, first);
    clock.advance(TTL);
    Ticket second = tryOnce("a");
    granted(two, second);
    assertThat(release(one, first)).isEqualTo(Release.NOT_HELD);
    assertThat(withdraw(one, first)).isTrue();
    busy(one, tryOnce("a"));
    assertThat(release(two, second)).isEqualTo(Release.RELEASED);
  }

  @Test
  void r7ReleasingTwiceChangesNothing() {
    Ticket held = tryOnce("a");
    granted(one, held);
    assertThat(release(one, held)).isEqualTo(Release.RELEASED);
    assertThat(release(one, held)).isEqualTo(Release.NOT_HELD);
    assertThat(release(one, tryOnce("never heard of"))).isEqualTo(Release.NOT_HELD);
  }

  @Test
  void r7AnExpiredLeaseIsNotHeld() {
    Ticket held = tryOnce("a");
    granted(one, held);
    clock.advance(TTL);
    assertThat(release(one, held)).isEqualTo(Release.NOT_HELD);
  }

  @Test
  void r4NumbersRiseOverReleaseExpiryWithdrawalBreakAndRestart() {
    Ticket first = tryOnce("a");
    assertThat(granted(one, first).number()).isEqualTo(1);
    release(one, first);
    Ticket second = tryOnce("a");
    assertThat(granted(one, second).number()).isEqualTo(2);
    clock.advance(TTL);
    Ticket third = tryOnce("a");
    assertThat(granted(one, third).number()).isEqualTo(3);
    withdraw(one, third);
    assertThat(granted(one, tryOnce("a")).number()).isEqualTo(4);
    breakLease(one, "a", 4);
    one.close();
    two.close();
    open();
    assertThat(granted(one, tryOnce("a")).number()).isEqualTo(5);
  }

  @Test
  void leasesSurviveARestart() {
    Ticket held = tryOnce("a");
    granted(one, held);
    one.close();
    two.close();
    open();
    busy(two, tryOnce("a"));
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, false));
  }

  @Test
  void r6BreakRemovesExactlyThatLease() {
    Ticket held = tryOnce("a");
    granted(one, held);
    assertThat(breakLease(two, "a", 2)).isFalse();
    assertThat(breakLease(two, "b", 1)).isFalse();
    assertThat(renew(one, held)).isEqualTo(new Renewal.Renewed(TTL, false));
    assertThat(breakLease(two, "a", 1)).isTrue();
    assertThat(breakLease(two, "a", 1)).isFalse();
    assertThat(renew(one, held)).isEqualTo(new Renewal.Gone());
    assertThat(granted(two, tryOnce("a")).number()).isEqualTo(2);
  }

  @Test
  void listIsOrderedByNameAndLeavesOutWhatIsFree() {
    for (String name : new String[] {"b", "a", "ä", "B", "free"}) {
      Ticket held = tryOnce(name);
      granted(one, held);
      if (name.equals("free")) {
        release(one, held);
      }
    }
    assertThat(list(two)).extracting(LockSnapshot::name).containsExactly("B", "a", "b", "ä");
  }

  @Test
  void listShowsANameThatIsOnlyWaitedFor() {
    Ticket held = tryOnce("a");
    granted(one, held);
    busy(two, queue("a"));
    release(one, held);
    LockSnapshot seen = only(one, "a");
    assertThat(seen.holders()).isEmpty();
    assertThat(seen.waiters()).hasSize(1);
  }

  @Test
  void anInterruptIsKeptAndTheVerbDoneAllTheSame() {
    Ticket held = tryOnce("a");
    Thread.currentThread().interrupt();
    granted(one, held);
    assertThat(Thread.interrupted()).isTrue();
    Thread.currentThread().interrupt();
    release(one, held);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void afterCloseEveryVerbSaysSo() {
    one.close();
    one.close();
    assertThatThrownBy(() -> attempt(one, tryOnce("a")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("closed");
    assertThat(renew(one, tryOnce("a"))).isInstanceOf(Renewal.Unknown.class);
    assertThat(one.watch(tryOnce("a"), WITHIN)).isCompleted();
  }
}
