package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Traits;
import io.leasehold.testkit.contract.Faults.Delayed;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;

/** R5 and R6: how long a lease lives, and what renews it. */
public interface LeaseRules {
  /** One that is no multiple of anything, and below a second where the store takes that. */
  @ContractTest
  @DisplayName("R5 a ttl is never zero and never infinite")
  default void R05_aTtlIsNeitherZeroNorInfinite(Testbed bed) throws Exception {
    Duration below = bed.fixture().shortTtl().multipliedBy(9).dividedBy(10).plusNanos(300_000);
    boolean taken = bed.fixture().traits().filter(t -> t.minTtl().compareTo(below) > 0).isEmpty();
    Duration odd = taken ? below : bed.fixture().shortTtl().plusNanos(300_000);
    LockClient dies = bed.open(s -> s.withTtl(odd));
    // More than once, since a stall may be longer than the lease.
    for (int i = 0; i < 3; i++) {
      Lease brief = bed.take(dies.lock(bed.name(i)));
      Optional<Lease> early = bed.two().lock(bed.name(i)).tryAcquire();
      assertThat(early.isPresent() && brief.isHeld()).as("two hold the lock").isFalse();
      early.ifPresent(Lease::release);
    }
    bed.take(dies);
    bed.crash(dies);
    bed.outlast(bed.two()).release();
  }

  /** By the holder's word and by the store's. */
  @ContractTest
  @DisplayName("R5 a ttl is rounded up to the store's step")
  default void R05_aTtlIsRoundedUp(Testbed bed) throws Exception {
    Traits traits = traits(bed);
    Duration odd = Testbed.LONG.plus(traits.ttlStep().dividedBy(2));
    LockOptions options = LockOptions.defaults().withTtl(odd).withoutRenewal();
    bed.needs(Ability.LIST);
    bed.two();
    Duration most = Duration.ZERO;
    // A store whose clock ticks in such steps may be one behind when it is asked
    for (int sample = 0; sample < 3; sample++) {
      long asked = bed.now();
      Lease lease = bed.take(bed.lock(bed.one()).with(options));
      Duration stated = onlyHolder(bed).remaining();
      Duration lived = stated.plus(bed.since(asked));
      most = lived.compareTo(most) > 0 ? lived : most;
      assertThat(stated).isLessThanOrEqualTo(odd.plus(traits.ttlStep()));
      assertThat(lease.remaining()).isLessThanOrEqualTo(odd.plus(traits.ttlStep()));
      lease.release();
    }
    assertThat(most).isGreaterThanOrEqualTo(odd);
  }

  /** And nothing was asked of the store. */
  @ContractTest
  @DisplayName("R5 a ttl outside the store's limits is refused")
  default void R05_aTtlOutsideTheLimitsIsRefused(Testbed bed) throws Exception {
    Traits traits = traits(bed);
    DistributedLock lock = bed.lock(bed.one());
    for (Duration ttl :
        new Duration[] {traits.minTtl().dividedBy(2), traits.maxTtl().plus(traits.ttlStep())}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lock.with(LockOptions.defaults().withTtl(ttl)).tryAcquire());
      assertThatIllegalArgumentException().isThrownBy(() -> bed.open(s -> s.withTtl(ttl)));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LockOptions.defaults().withTtl(Duration.ZERO));
    bed.requireFree();
  }

  /** The store's limits may be above or below it. */
  @ContractTest
  @DisplayName("R5 a default ttl is moved within the store's limits")
  default void R05_theDefaultTtlIsMovedInside(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.open(ClientSettings::withDefaultTtl));
    assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(traits(bed).maxTtl());
    lease.release();
  }

  private static Traits traits(Testbed bed) {
    Optional<Traits> traits = bed.fixture().traits();
    Assumptions.assumeTrue(traits.isPresent(), "the store's limits are not known");
    return traits.orElseThrow();
  }

  // ---- R6

  /** It expired while its renewal was on the way, and another held the lock since. */
  @ContractTest
  @DisplayName("R6 a renewal never revives a lease that has expired")
  default void R06_aRenewalNeverRevives(Testbed bed) throws Exception {
    LockClient late = bed.open();
    Lease lease = bed.lock(late).with(notSoBrief(bed)).acquire(bed.patience());
    Delayed renewal = renewalOnItsWay(bed, late, lease);
    bed.outlast(bed.two()).release();
    renewal.land();
    // Again and again, since it lives for a short ttl only.
    for (int i = 0; i < 10; i++) {
      Optional<Lease> next = bed.lock(bed.two()).tryAcquire();
      assertThat(next).as("a try after the renewal").isPresent();
      next.ifPresent(Lease::release);
      bed.pass(Duration.ofMillis(20));
    }
    assertThat(lease.isHeld()).isFalse();
  }

  /** Its successor's lease is not prolonged by it. */
  @ContractTest
  @DisplayName("R6 renewing what another holds changes nothing")
  default void R06_renewingAnothersChangesNothing(Testbed bed) throws Exception {
    bed.needs(Ability.LIST);
    LockClient late = bed.open();
    Lease lease = bed.lock(late).with(notSoBrief(bed)).acquire(bed.patience());
    Delayed renewal = renewalOnItsWay(bed, late, lease);
    LockOptions plain = LockOptions.defaults().withoutRenewal();
    Lease successor = bed.lock(bed.two()).with(plain).acquire(bed.patience());
    LockSnapshot.Holder before = onlyHolder(bed);
    long seen = bed.now();
    bed.pass(Duration.ofSeconds(1));
    renewal.land();
    Duration since = bed.since(seen);
    LockSnapshot.Holder after = onlyHolder(bed);
    assertThat(after.leaseId()).isEqualTo(before.leaseId());
    if (bed.fixture().lacks(Ability.REMAINING).isEmpty()) {
      // Stores round, to a few milliseconds
      assertThat(after.remaining()).isLessThan(before.remaining().minus(since).plusMillis(50));
    }
    assertThat(after.remaining()).isGreaterThan(Testbed.LONG.dividedBy(2));
    successor.release();
    bed.requireFree();
  }

  /** So long that a machine that stalls has time for a renewal. */
  private static LockOptions notSoBrief(Testbed bed) {
    return LockOptions.defaults()
        .withTtl(bed.fixture().shortTtl().multipliedBy(3))
        .withoutRenewal();
  }

  /** Asks for a renewal, and keeps it. */
  private static Delayed renewalOnItsWay(Testbed bed, LockClient client, Lease lease) {
    Delayed renewal = bed.faults(client).delayUnanswered(bed.faults(client).requests());
    bed.pass(Duration.ofMillis(20));
    Duration more = lease.remaining().plusMillis(10);
    assertThatThrownBy(() -> lease.ensureHeld(more)).isInstanceOf(StoreException.class);
    assertThat(renewal.isSent()).isTrue();
    return renewal;
  }

  private static LockSnapshot.Holder onlyHolder(Testbed bed) {
    Optional<LockSnapshot> found = bed.lock(bed.open()).inspect();
    assertThat(found).as("what the store shows").isPresent();
    assertThat(found.orElseThrow().holders()).hasSize(1);
    return found.orElseThrow().holders().get(0);
  }

  /** Of ten minutes, long before its end. */
  @ContractTest
  @DisplayName("R6 a renewal of a lease that an operator broke says so")
  default void R06_renewingABrokenLeaseSaysSo(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    LockOptions plain = LockOptions.defaults().withTtl(Testbed.LONG).withoutRenewal();
    Lease lease = bed.lock(bed.one()).with(plain).acquire(bed.patience());
    assertThat(bed.lock(bed.two()).breakLease(lease.fencingToken())).isTrue();
    assertThat(bed.lock(bed.two()).breakLease(lease.fencingToken())).as("again").isFalse();
    Lease next = bed.take(bed.two());
    requireGone(bed, lease);
    bed.requireHeld(next);
    next.release();
  }

  /** Asks for a little more than is left, so that the store is asked. */
  private static void requireGone(Testbed bed, Lease lease) {
    bed.pass(Duration.ofMillis(20));
    Duration more = lease.remaining().plusMillis(10);
    assertThatThrownBy(() -> lease.ensureHeld(more)).isInstanceOf(LeaseLostException.class);
    assertThat(lease.isHeld()).isFalse();
  }

  /** Without being asked. */
  @ContractTest
  @DisplayName("R6 a lease that an operator broke is noticed by its own renewal")
  default void R06_aBrokenLeaseIsNoticed(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(3)));
    LockClient other = bed.two();
    Lease lease = bed.take(doomed);
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    bed.lock(other).breakLease(lease.fencingToken());
    bed.await("the loss", () -> told.get() > 0);
    assertThat(lease.isHeld()).isFalse();
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    assertThat(told).hasValue(1);
  }

  /** Beside it another reads on; an older token breaks nothing. */
  @ContractTest
  @DisplayName("R6 a break removes exactly the lease with that token")
  default void R06_aBreakRemovesExactlyThatLease(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    bed.take(bed.one()).release();
    Lease second = bed.take(bed.one());
    assertThat(bed.lock(bed.two()).breakLease(second.fencingToken() - 1024)).isFalse();
    assertThat(bed.lock(bed.two()).breakLease(second.fencingToken() + 1024)).isFalse();
    assertThat(bed.two().lock(bed.name("other")).breakLease(second.fencingToken())).isFalse();
    bed.requireHeld(second);
    bed.requireBusy(bed.two());
    second.release();
  }

  /** One reader of two. */
  @ContractTest
  @DisplayName("R6 a break of one reader leaves the others")
  default void R06_aBreakOfOneReaderLeavesTheOthers(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    bed.needs(Ability.SHARED);
    LockOptions plain = LockOptions.defaults().withTtl(Testbed.LONG).withoutRenewal();
    Lease broken = bed.take(bed.one().readWriteLock(bed.name()).readLock().with(plain));
    Lease other = bed.take(bed.two().readWriteLock(bed.name()).readLock().with(plain));
    assertThat(bed.lock(bed.open()).breakLease(broken.fencingToken())).isTrue();
    requireGone(bed, broken);
    bed.requireHeld(other);
    bed.requireBusy(bed.open());
    other.release();
  }

  /** Holder and waiter. */
  @ContractTest
  @DisplayName("R6 a lease that the store forgot is noticed, and the lock can be acquired again")
  default void R06_aLeaseThatTheStoreForgotIsNoticed(Testbed bed) throws Exception {
    bed.needs(Ability.RESTART_EMPTY);
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(3)));
    Lease lease = bed.take(doomed);
    Caller<Lease> waiter = bed.startAnswered(bed.two(), bed.patience());
    bed.fixture().restartEmpty();
    bed.await("the loss", () -> !lease.isHeld());
    waiter.result().release();
    bed.requireFree();
  }

  /** Where the store says how much of a ttl that is. */
  @ContractTest
  @DisplayName("R17 a lease can be held for as long as a renewal yields, and no longer is promised")
  default void R17_ensureHeldTakesWhatARenewalYields(Testbed bed) throws Exception {
    Optional<Traits> traits = bed.fixture().traits();
    Assumptions.assumeTrue(traits.isPresent(), "the store's traits are not known");
    Lease lease = bed.take(bed.one());
    Duration ttl = ClientSettings.defaults().ttl().orElseThrow();
    int percent = traits.orElseThrow().life().yieldPercent();
    lease.ensureHeld(ttl.multipliedBy(percent).dividedBy(100).multipliedBy(9).dividedBy(10));
    assertThat(lease.remaining()).isGreaterThan(ttl.multipliedBy(percent).dividedBy(125));
    Duration more = ttl.multipliedBy(percent).dividedBy(100);
    assertThatThrownBy(() -> lease.ensureHeld(more)).isInstanceOf(IllegalArgumentException.class);
    requireListed(bed, lease);
    lease.release();
  }

  private static void requireListed(Testbed bed, Lease lease) throws Exception {
    if (bed.fixture().lacks(Ability.LIST).isEmpty()) {
      assertThat(onlyHolder(bed).remaining())
          .as("what the store keeps, of what the client counts on")
          .isGreaterThanOrEqualTo(lease.remaining().minusSeconds(1));
    }
  }
}
