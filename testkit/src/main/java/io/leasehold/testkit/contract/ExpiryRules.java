package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.contract.Faults.Delayed;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;

/** R6, R10, R17 and R21: how a lease ends without a release, and what its holder knows of it. */
public interface ExpiryRules {
  /** Of which the allowance for drift is well below a second. */
  Duration TWENTY_SECONDS = Duration.ofSeconds(20);

  /** Nothing of it reaches the store any more. */
  @ContractTest
  @DisplayName("R10 the lock of a dead holder comes free by itself, and not before its time")
  default void R10_aDeadHoldersLockComesFree(Testbed bed) throws Exception {
    LockClient dead = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    long before = bed.now();
    bed.take(dead);
    bed.crash(dead);
    Lease next = bed.outlast(bed.two());
    Duration least = bed.fixture().shortTtl().multipliedBy(99).dividedBy(100);
    assertThat(bed.since(before)).as("how long it stood").isGreaterThanOrEqualTo(least);
    next.release();
  }

  /** Also where waiters have places that others are behind. */
  @ContractTest
  @DisplayName("R10 a dead waiter blocks no one for longer than its ttl")
  default void R10_aDeadWaiterBlocksNobody(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    LockOptions fair = LockOptions.defaults().fair();
    LockClient dead = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    Lease held = bed.take(bed.lock(bed.one()).with(fair));
    Caller<Lease> ghost = bed.start(() -> bed.lock(dead).with(fair).acquire(bed.patience()));
    ghost.waiting();
    bed.crash(dead);
    Caller<Lease> behind =
        bed.start(() -> bed.lock(bed.two()).with(fair).acquire(bed.patience())).waiting();
    held.release();
    behind.result().release();
  }

  /** It dies while another waits. */
  @ContractTest
  @DisplayName("R10 a waiter gets the lock of a holder that dies")
  default void R10_aWaiterGetsTheLockOfADeadHolder(Testbed bed) throws Exception {
    LockClient dies = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    bed.take(dies);
    Caller<Lease> waiter = bed.start(() -> bed.lock(bed.two()).acquire(bed.patience())).waiting();
    bed.crash(dies);
    waiter.result().release();
  }

  /** Of each mode. */
  @ContractTest
  @DisplayName("R10 the permits and read locks of a dead holder come free by themselves")
  default void R10_permitsAndReadLocksOfTheDeadComeFree(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    bed.needs(Ability.PERMITS);
    LockClient dead = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    bed.take(dead.readWriteLock(bed.name("rw")).readLock());
    bed.take(dead.semaphore(bed.name("s"), 2));
    bed.crash(dead);
    bed.two().readWriteLock(bed.name("rw")).writeLock().acquire(bed.patience()).release();
    bed.two().semaphore(bed.name("s"), 2).permits(2).acquire(bed.patience()).release();
  }

  /** By the store's word too. */
  @ContractTest
  @DisplayName("R6 a lease that is renewed outlives its ttl")
  default void R06_aRenewedLeaseOutlivesItsTtl(Testbed bed) throws Exception {
    LockClient keeps = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(4)));
    Lease lease = bed.take(keeps);
    bed.pass(bed.fixture().shortTtl().multipliedBy(5));
    assertThat(lease.isHeld()).isTrue();
    bed.requireBusy(bed.two());
    lease.release();
  }

  // ---- R17

  /** The answer took its time. */
  @ContractTest
  @DisplayName("R17 validity is counted from the sending of the request, not from its answer")
  default void R17_validityIsCountedFromTheSending(Testbed bed) throws Exception {
    LockOptions brief = LockOptions.defaults().withTtl(TWENTY_SECONDS).withoutRenewal();
    LockClient patient = bed.open(s -> s.withRequestTimeout(TWENTY_SECONDS));
    Delayed attempt = bed.faults(patient).delay(0);
    Caller<Lease> caller = bed.start(() -> bed.lock(patient).with(brief).acquire(bed.patience()));
    bed.await("the attempt", attempt::isSent);
    long sent = bed.now();
    bed.pass(Duration.ofSeconds(1));
    Duration waited = bed.since(sent);
    attempt.land();
    Lease lease = caller.result();
    assertThat(lease.remaining()).isLessThanOrEqualTo(TWENTY_SECONDS.minus(waited));
    lease.release();
  }

  /** A reply was lost, so the store says less than the ttl. */
  @ContractTest
  @DisplayName("R17 validity is what the store says remains, never the ttl asked for")
  default void R17_validityIsWhatTheStoreSaysRemains(Testbed bed) throws Exception {
    bed.needs(Ability.LIST);
    LockOptions brief = LockOptions.defaults().withTtl(TWENTY_SECONDS).withoutRenewal();
    LockClient patient = bed.open(s -> s.withRequestTimeout(TWENTY_SECONDS));
    Delayed loss = bed.faults(patient).delayLoss(0);
    Caller<Lease> caller = bed.start(() -> bed.lock(patient).with(brief).acquire(bed.patience()));
    bed.await("the attempt", loss::isSent);
    bed.pass(Duration.ofMillis(700));
    loss.land();
    Lease lease = caller.result();
    Duration stated = onlyHolder(bed).remaining();
    assertThat(lease.remaining()).isLessThanOrEqualTo(stated);
    lease.release();
  }

  private static LockSnapshot.Holder onlyHolder(Testbed bed) {
    return bed.lock(bed.two()).inspect().orElseThrow().holders().get(0);
  }

  /** Its store is silent; the successor is in. */
  @ContractTest
  @DisplayName(
      "R17 by the time the next client is granted the lock, isHeld is false for the previous holder")
  default void R17_isHeldIsFalseBeforeTheNextIsIn(Testbed bed) throws Exception {
    LockClient paused = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    Lease lease = bed.take(paused);
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    bed.crash(paused);
    Lease next = bed.outlast(bed.two());
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.remaining()).isZero();
    bed.await("the callback", () -> told.get() == 1);
    assertThatThrownBy(() -> lease.ensureHeld(Duration.ofMillis(1)))
        .isInstanceOf(LeaseLostException.class);
    next.release();
  }

  /** In the scope of the lock. */
  @ContractTest
  @DisplayName("R17 re-entry throws once the lease is over")
  default void R17_reentryThrowsOnceTheLeaseIsOver(Testbed bed) {
    LockClient paused = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    DistributedLock lock = bed.lock(paused);
    assertThatThrownBy(
            () ->
                lock.withLock(
                    lease -> {
                      bed.crash(paused);
                      bed.await("the end of validity", () -> !lease.isHeld());
                      assertThatThrownBy(() -> lock.withLock(inner -> {}))
                          .isInstanceOf(LeaseLostException.class);
                      assertThatThrownBy(lock.asLock()::lock)
                          .isInstanceOf(IllegalMonitorStateException.class);
                    }))
        .isInstanceOf(LeaseLostException.class);
  }

  // ---- R21

  /** Its ttl is ten minutes, and it is renewed. */
  @ContractTest
  @DisplayName("R21 at the end of its longest life a lease is lost, and the lock free")
  default void R21_theLongestLifeEndsTheLeaseOfAHolderThatHangs(Testbed bed) throws Exception {
    LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofMillis(300));
    Lease lease = bed.take(bed.lock(bed.one()).with(options));
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    bed.take(bed.two()).release();
    assertThat(lease.isHeld()).isFalse();
    bed.await("the callback", () -> told.get() == 1);
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
  }

  /** The client does not renew it. */
  @ContractTest
  @DisplayName("R21 a lease without renewal lives for one ttl")
  default void R21_aLeaseWithoutRenewalLivesForOneTtl(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.lock(bed.one()).with(bed.brief()));
    assertThat(lease.remaining()).isLessThanOrEqualTo(bed.fixture().shortTtl());
    bed.outlast(bed.two()).release();
    assertThat(lease.isHeld()).isFalse();
  }

  /** Though its holder released it, and its process ended. */
  @ContractTest
  @DisplayName("R21 a min hold keeps others out after the release, longer than the ttl")
  default void R21_aMinHoldOutlivesTheReleaseAndTheProcess(Testbed bed) throws Exception {
    bed.needs(Ability.MIN_HOLD);
    // Long enough for a busy machine to come to the release
    Duration ttl = bed.fixture().shortTtl().multipliedBy(3);
    Duration minHold = bed.fixture().shortTtl().multipliedBy(4);
    LockClient doomed = bed.open(s -> s.withTtl(ttl));
    LockOptions kept = LockOptions.defaults().withMinHold(minHold);
    Clock clock = new SystemClock();
    long begin = clock.nanos();
    bed.take(bed.lock(doomed).with(kept)).release();
    bed.crash(doomed);
    bed.outlast(bed.two()).release();
    assertThat(Duration.ofNanos(clock.nanos() - begin)).isGreaterThan(minHold);
  }
}
