package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.FenceNumber;
import io.leasehold.testkit.contract.Faults.Delayed;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** R3 and R12: what a lost reply means. The ttl is ten minutes throughout. */
public interface AnswerRules {
  /** The store granted it, and the client did not hear of that. */
  @ContractTest
  @DisplayName("R3 a lost reply is resolved by asking again: the same lease")
  default void R03_aLostReplyIsResolvedByAskingAgain(Testbed bed) throws Exception {
    bed.faults(bed.one()).lose(0, Loss.REPLY);
    Lease lease = bed.lock(bed.one()).acquire(bed.patience());
    bed.requireBusy(bed.two());
    assertThat(lease.isHeld()).isTrue();
    lease.release();
    bed.requireFree();
  }

  /** What the store shows before the repeat is what the client has after it. */
  @ContractTest
  @DisplayName("R3 a repeated attempt has the token of the grant that it repeats")
  default void R03_aRepeatDoesNotMintAnotherToken(Testbed bed) throws Exception {
    bed.needs(Ability.LIST);
    bed.needs(Ability.FENCING);
    LockClient patient = bed.open(s -> s.withRequestTimeout(bed.patience()));
    Delayed repeat = repeatedAttempt(bed, patient);
    Caller<Lease> caller = bed.start(() -> bed.lock(patient).acquire(bed.patience()));
    bed.await("the repeat", repeat::isSent);
    LockSnapshot.Holder before = onlyHolder(bed);
    repeat.land();
    Lease lease = caller.result();
    assertThat(FenceNumber.number(lease.fencingToken()))
        .isEqualTo(FenceNumber.number(before.fencingToken()));
    assertThat(onlyHolder(bed).fencingToken()).isEqualTo(before.fencingToken());
    lease.release();
  }

  /** By the store's own word. */
  @ContractTest
  @DisplayName("R3 a repeated attempt does not extend the lease")
  default void R03_aRepeatDoesNotExtend(Testbed bed) throws Exception {
    bed.needs(Ability.LIST);
    bed.needs(Ability.REMAINING);
    LockClient patient = bed.open(s -> s.withRequestTimeout(bed.patience()));
    // A poll renews what it asks about
    bed.faults(patient).stopPolls();
    Delayed repeat = repeatedAttempt(bed, patient);
    Caller<Lease> caller = bed.start(() -> bed.lock(patient).acquire(bed.patience()));
    bed.await("the repeat", repeat::isSent);
    bed.await("the grant", () -> isHeld(bed));
    long granted = bed.now();
    bed.pass(Duration.ofSeconds(1));
    repeat.land();
    Lease lease = caller.result();
    Duration age = bed.since(granted);
    assertThat(onlyHolder(bed).remaining())
        .isLessThanOrEqualTo(Testbed.LONG.minus(age).plus(step(bed)));
    lease.release();
  }

  /** It lands after its lease was released. */
  @ContractTest
  @DisplayName("R3 an attempt that its own repeat overtook is never granted again")
  default void R03_anOvertakenOriginalIsNotGrantedAgain(Testbed bed) throws Exception {
    Delayed original = bed.faults(bed.one()).delayUnanswered(0);
    Lease lease = bed.take(bed.one());
    assertThat(original.isSent()).isTrue();
    lease.release();
    original.land();
    bed.requireFree();
  }

  /** It lands while its lease is held. */
  @ContractTest
  @DisplayName("R3 a repeat may overtake its original, which then changes nothing")
  default void R03_aRepeatMayOvertakeItsOriginal(Testbed bed) throws Exception {
    Delayed original = bed.faults(bed.one()).delayUnanswered(0);
    Lease lease = bed.take(bed.one());
    original.land();
    bed.requireHeld(lease);
    bed.requireBusy(bed.two());
    lease.release();
    bed.requireFree();
  }

  /** The first reply is lost, and the second request is kept. */
  private static Delayed repeatedAttempt(Testbed bed, LockClient client) {
    bed.faults(client).lose(0, Loss.REPLY);
    return bed.faults(client).delay(1);
  }

  private static boolean isHeld(Testbed bed) {
    return bed.lock(bed.two()).inspect().map(lock -> !lock.holders().isEmpty()).orElse(false);
  }

  private static LockSnapshot.Holder onlyHolder(Testbed bed) {
    Optional<LockSnapshot> found = bed.lock(bed.two()).inspect();
    assertThat(found).as("what the store shows").isPresent();
    assertThat(found.orElseThrow().holders()).hasSize(1);
    return found.orElseThrow().holders().get(0);
  }

  private static Duration step(Testbed bed) {
    return bed.fixture().traits().map(t -> t.ttlStep()).orElse(Duration.ofSeconds(1));
  }

  // ---- R12

  /** Of a try: neither granted nor busy. */
  @ContractTest
  @DisplayName("R12 an attempt without reply is an unknown outcome, not busy")
  default void R12_anAttemptWithoutReplyIsUnknown(Testbed bed) throws Exception {
    for (Loss loss : Loss.values()) {
      LockClient client = bed.open();
      bed.faults(client).lose(0, loss);
      bed.faults(client).lose(1, loss);
      assertThatThrownBy(bed.lock(client)::tryAcquire)
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME));
      bed.requireFree();
    }
  }

  /** As an attempt is: connections end, and that is no reason to fail a holder. */
  @ContractTest
  @DisplayName("R12 a release that was lost in transit is sent again")
  default void R12_aReleaseIsAskedForAgain(Testbed bed) throws Exception {
    LockClient client = bed.open();
    Lease lease = bed.take(client);
    bed.faults(client).lose(bed.faults(client).requests(), Loss.REQUEST);
    lease.release();
    bed.requireFree();
  }

  /** The lease is over for its holder all the same. */
  @ContractTest
  @DisplayName("R12 a release without reply is an unknown outcome, not released")
  default void R12_aReleaseWithoutReplyIsUnknown(Testbed bed) throws Exception {
    for (Loss loss : Loss.values()) {
      LockClient client = bed.open();
      Lease lease = bed.take(client);
      int sent = bed.faults(client).requests();
      bed.faults(client).lose(sent, loss);
      bed.faults(client).lose(sent + 1, loss);
      assertThatThrownBy(lease::release)
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME));
      assertThat(lease.isHeld()).isFalse();
      bed.requireFree();
    }
  }

  /** Though it was ready to wait for long. */
  @ContractTest
  @DisplayName("R12 a first attempt that cannot reach the store fails fast")
  default void R12_aStoreThatCannotBeReachedFailsFast(Testbed bed) throws Exception {
    DistributedLock lock = bed.lock(bed.one());
    bed.faults(bed.one()).cut();
    Caller<Lease> caller = bed.start(() -> lock.acquire(Duration.ofMinutes(5)));
    assertThat(caller.endsWithin(Testbed.SOON)).as("the wait has ended").isTrue();
    assertThatThrownBy(caller::result).isInstanceOf(StoreException.class);
    assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreException.class);
    bed.faults(bed.one()).heal();
  }

  /** And gets the lock after it. */
  @ContractTest
  @DisplayName("R12 a waiter that was once answered outlasts an outage")
  default void R12_aWaiterOutlastsAnOutage(Testbed bed) throws Exception {
    Lease held = bed.take(bed.two());
    Caller<Lease> waiter = bed.startAnswered(bed.one(), bed.patience());
    bed.faults(bed.one()).cut();
    held.release();
    bed.pass(Duration.ofMillis(300));
    assertThat(waiter.isDone()).isFalse();
    bed.faults(bed.one()).heal();
    waiter.result().release();
  }

  /** It cannot know whether the lock was busy all the time. */
  @ContractTest
  @DisplayName("R12 a waiter whose time ends in an outage gets a StoreException, not a timeout")
  default void R12_aWaitThatEndsInAnOutageIsAStoreException(Testbed bed) throws Exception {
    Lease held = bed.take(bed.two());
    Caller<Lease> waiter = bed.startAnswered(bed.one(), Duration.ofSeconds(3));
    bed.faults(bed.one()).cut();
    assertThatThrownBy(waiter::result).isInstanceOf(StoreException.class);
    bed.faults(bed.one()).heal();
    held.release();
    bed.requireFree();
  }
}
