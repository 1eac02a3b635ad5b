package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LeaseTooShortException;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R5 to R8, R17, R21: how leases are kept, and how they end. */
@Timeout(90)
class LossTest {
  private static final Duration SHORT = Duration.ofMillis(1500);

  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void aBrokenLeaseIsLostOnceAndNeverReleased(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client(b -> b.ttl(SHORT));
    Lease lease = one.lock("n").acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    breakLease(lease);
    Lease next = engines.client().lock("n").acquire();
    await().untilAsserted(() -> assertThat(told).hasValue(1));
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ofMillis(1)))
        .isInstanceOf(LeaseLostException.class);
    AtomicInteger late = new AtomicInteger();
    lease.onLost(late::incrementAndGet);
    await().untilAsserted(() -> assertThat(late).hasValue(1));
    assertThatThrownBy(lease::release)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("'n'");
    lease.release();
    lease.close();
    assertThat(next.isHeld()).isTrue();
    assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
    next.release();
    assertThat(told).hasValue(1);
    assertThat(engines.events(LockEvent.Lost.class))
        .singleElement()
        .extracting(LockEvent.Lost::reason)
        .isEqualTo(Reason.GONE);
  }

  private void breakLease(Lease lease) {
    assertThat(engines.server().breakLease(lease.name(), FenceNumber.number(lease.fencingToken())))
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aLeaseOutlivesItsTtlByRenewal(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client(b -> b.ttl(SHORT));
    try (Lease lease = one.lock("n").acquire()) {
      await().pollDelay(SHORT.multipliedBy(3)).until(() -> true);
      assertThat(lease.isHeld()).isTrue();
      assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), SHORT);
    }
    assertThat(engines.events(LockEvent.Renewed.class)).hasSizeGreaterThanOrEqualTo(4);
    assertThat(engines.events(LockEvent.Jeopardy.class)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aSilentStoreMeansJeopardyAndThenLoss(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.ttl(Duration.ofSeconds(1)));
    Lease lease = one.lock("n").acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    factory.become(Mood.SILENT);
    await().until(() -> !lease.isHeld());
    await().untilAsserted(() -> assertThat(told).hasValue(1));
    assertThat(engines.events(LockEvent.Jeopardy.class)).hasSize(1);
    assertThat(engines.events(LockEvent.Lost.class))
        .singleElement()
        .extracting(LockEvent.Lost::reason)
        .isEqualTo(Reason.EXPIRED);
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void theLongestLifeEndsTheLeaseOfAHolderThatHangs(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofSeconds(2));
    Lease lease = one.lock("n").with(options).acquire();
    Lease next = engines.client().lock("n").acquire(Duration.ofSeconds(20));
    assertThat(lease.isHeld()).isFalse();
    next.release();
    await()
        .untilAsserted(
            () ->
                assertThat(engines.events(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::reason)
                    .isEqualTo(Reason.MAX_HOLD));
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
  }

  /** Also where the lease was handed over to it. */
  @Test
  void theLongestLifeBeginsWithTheHandOver() throws Exception {
    Engine one = engines.client();
    Lease first = one.lock("n").acquire();
    LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofMillis(200));
    var waiter = Engines.start(() -> one.lock("n").with(options).acquire());
    waiter.waiting();
    first.release();
    Lease second = waiter.result();
    assertThat(second.isHeld()).isTrue();
    await().until(() -> !engines.events(LockEvent.Lost.class).isEmpty());
    assertThat(second.isHeld()).isFalse();
  }

  /** It counts from the call, whether that makes it longer or shorter. */
  @Test
  void theLongestLifeCanBeChanged() {
    LockOptions options = LockOptions.defaults();
    Lease lease =
        engines
            .client()
            .lock("n")
            .with(options.withMaxHold(Duration.ofSeconds(4)))
            .tryAcquire()
            .orElseThrow();
    lease.changeHold(options.withMaxHold(Duration.ofMinutes(10)));
    Duration before = lease.remaining();
    assertThat(before).isGreaterThan(Duration.ofSeconds(4));
    lease.changeHold(options);
    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(4));
    lease.changeHold(options.withMaxHold(Duration.ofMillis(200)));
    await()
        .untilAsserted(
            () ->
                assertThat(engines.events(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::reason)
                    .isEqualTo(Reason.MAX_HOLD));
    assertThatThrownBy(() -> lease.changeHold(options)).isInstanceOf(LeaseLostException.class);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void theLongestLifeOfAReleasedLeaseCannotBeChanged() {
    Lease lease = engines.client().lock("n").tryAcquire().orElseThrow();
    lease.release();
    assertThatThrownBy(() -> lease.changeHold(LockOptions.defaults()))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("released");
  }

  @ParameterizedTest
  @EnumSource
  void withoutRenewalALeaseLivesForOneTtl(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    Lease lease =
        one.lock("n").with(LockOptions.defaults().withTtl(SHORT).withoutRenewal()).acquire();
    await().atMost(SHORT.plusSeconds(8)).until(() -> !lease.isHeld());
    assertThat(factory.count("renew")).isZero();
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
  }

  @ParameterizedTest
  @EnumSource
  void ensureHeldRenewsOnlyIfLessRemains(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(4)).withoutRenewal();
    Lease lease = one.lock("n").with(options).acquire();
    lease.ensureHeld(Duration.ofSeconds(1));
    assertThat(factory.count("renew")).isZero();
    await().until(() -> lease.remaining().toMillis() < 3500);
    lease.ensureHeld(Duration.ofMillis(3800));
    assertThat(factory.count("renew")).isEqualTo(1);
    assertThat(lease.remaining()).isGreaterThan(Duration.ofMillis(3500));
    assertThatIllegalArgumentException().isThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(4)));
    lease.release();
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ofMillis(1)))
        .isInstanceOf(LeaseLostException.class);
  }

  /** Also where it need not stand for long: it may have run out while the host slept. */
  @Test
  void ensureHeldAsksTheStoreAfterTheHostSlept() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    AtomicLong ahead = new AtomicLong();
    Engine one = engines.client(factory, new WallClock(ahead));
    Lease lease = one.lock("n").acquire();
    ahead.set(Duration.ofMinutes(10).toMillis());
    assertThat(lease.isHeld()).isFalse();
    lease.ensureHeld(Duration.ZERO);
    assertThat(lease.isHeld()).isTrue();
    assertThat(factory.count("renew")).isEqualTo(1);
    ahead.set(Duration.ofMinutes(20).toMillis());
    breakLease(lease);
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);
  }

  /** What limits it is not the store, and it is not lost before its end. */
  @Test
  void ensureHeldBeyondTheLongestLifeLeavesTheLease() throws Exception {
    LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofSeconds(3));
    Lease lease = engines.client().lock("n").with(options).acquire();
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(4)))
        .isInstanceOf(LeaseTooShortException.class)
        .hasMessageContaining("more, not for 4s");
    assertThat(lease.isHeld()).isTrue();
    lease.release();
  }

  @Test
  void ensureHeldOfAFailingStoreLeavesTheLease() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(5)).withoutRenewal();
    Lease lease = one.lock("n").with(options).acquire();
    await().until(() -> lease.remaining().toMillis() < 4800);
    factory.become(Mood.SILENT, "renew");
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ofMillis(4900)))
        .isInstanceOf(StoreException.class);
    assertThat(lease.isHeld()).isTrue();
    factory.become(Mood.NORMAL);
    lease.release();
  }

  @ParameterizedTest
  @EnumSource
  void releasingTwiceDoesNothing(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease lease = one.lock("n").acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    lease.release();
    Lease next = one.lock("n").acquire();
    lease.release();
    lease.close();
    assertThat(next.isHeld()).isTrue();
    assertThat(lease.isHeld()).isFalse();
    next.release();
    assertThat(told).hasValue(0);
    await().untilAsserted(() -> assertThat(engines.events(LockEvent.Released.class)).hasSize(2));
  }

  @ParameterizedTest
  @EnumSource
  void aReleaseWithoutReplyIsToldAndRepeated(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    Lease lease = one.lock("n").acquire();
    factory.become(Mood.SILENT, "release");
    assertThatThrownBy(lease::release)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.failure()).isEqualTo(StoreException.Failure.UNKNOWN_OUTCOME));
    assertThat(lease.isHeld()).isFalse();
    engines.client().lock("n").acquire(Duration.ofSeconds(20)).release();
    factory.become(Mood.NORMAL);
  }

  @Test
  void listenersAndCallbacksThatThrowHarmNobody() throws Exception {
    Engine one =
        engines.client(
            b ->
                b.ttl(SHORT)
                    .listener(
                        event -> {
                          throw new IllegalStateException("the listener throws, as it should here");
                        }));
    Lease lease = one.lock("n").acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(
        () -> {
          throw new IllegalStateException("the callback throws, as it should here");
        });
    lease.onLost(told::incrementAndGet);
    breakLease(lease);
    await().untilAsserted(() -> assertThat(told).hasValue(1));
    assertThat(engines.events(LockEvent.Lost.class)).hasSize(1);
    one.lock("n").acquire().release();
  }

  @Test
  void aTtlIsRoundedUpAndRefusedOutsideTheLimits() throws Exception {
    engines.serve(
        InMemorySettings.defaults()
            .withTtl(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> engines.client(b -> b.ttl(Duration.ofSeconds(1))));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> engines.client(b -> b.ttl(Duration.ofSeconds(11))));
    Engine one = engines.client(b -> b.ttl(Duration.ofMillis(2_001)));
    try (Lease lease = one.lock("n").acquire()) {
      assertThat(lease.remaining()).isBetween(Duration.ofMillis(2_010), Duration.ofSeconds(3));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                one.lock("n")
                    .with(LockOptions.defaults().withTtl(Duration.ofMillis(1_999)))
                    .tryAcquire());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LockOptions.defaults().withTtl(Duration.ZERO));
  }

  /** The time of this machine, with a wall clock that is ahead by so many milliseconds. */
  private record WallClock(AtomicLong ahead) implements Clock {
    private static final Clock SYSTEM = new SystemClock();

    @Override
    public long nanos() {
      return SYSTEM.nanos();
    }

    @Override
    public long wallMillis() {
      return SYSTEM.wallMillis() + ahead.get();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCallbackLearnsTheReasonAndOneTakenBackDoesNot(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client(b -> b.ttl(SHORT));
    Lease lease = one.lock("n").acquire();
    List<Reason> told = new CopyOnWriteArrayList<>();
    AtomicInteger takenBack = new AtomicInteger();
    Lease.Registration registration = lease.onLost(takenBack::incrementAndGet);
    lease.onLost(told::add);
    registration.remove();
    registration.remove();
    breakLease(lease);
    await().until(() -> told.equals(List.of(Reason.GONE)));
    lease.onLost(told::add);
    await().until(() -> told.equals(List.of(Reason.GONE, Reason.GONE)));
    assertThat(takenBack).hasValue(0);
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
  }

  @ParameterizedTest
  @EnumSource
  void jeopardyIsToldBeforeTheLossAndWhenItIsAlreadyThere(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    Lease lease =
        one.lock("n").with(LockOptions.defaults().withTtl(Duration.ofSeconds(30))).acquire();
    List<Duration> told = new CopyOnWriteArrayList<>();
    lease.onJeopardy(told::add);
    lease.onJeopardy(left -> told.add(Duration.ofDays(1))).remove();
    factory.become(FaultyStore.Mood.UNAVAILABLE, "renew");
    await().atMost(Duration.ofSeconds(40)).until(() -> told.size() == 1);
    assertThat(told.get(0)).isBetween(Duration.ofMillis(1), Duration.ofMillis(10_100));
    lease.onJeopardy(told::add);
    await().until(() -> told.size() == 2);
    factory.become(FaultyStore.Mood.NORMAL, "renew");
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> lease.remaining().compareTo(Duration.ofSeconds(15)) > 0);
    lease.release();
  }
}
