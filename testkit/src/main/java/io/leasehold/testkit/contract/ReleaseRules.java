package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.testkit.contract.Faults.Delayed;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** R7 and R8: who may release, and how often. */
public interface ReleaseRules {
  /** It lands after the lease expired and another was granted. */
  @ContractTest
  @DisplayName("R7 a late release frees nothing that the next holder has")
  default void R07_aLateReleaseFreesNothing(Testbed bed) throws Exception {
    LockClient late = bed.open(s -> s.withRequestTimeout(Duration.ofSeconds(2)));
    LockOptions options =
        LockOptions.defaults().withTtl(bed.fixture().shortTtl().multipliedBy(3)).withoutRenewal();
    Lease lease = bed.take(bed.lock(late).with(options));
    Delayed release = bed.faults(late).delayUnanswered(bed.faults(late).requests());
    bed.faults(late).silence();
    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
    Lease next = bed.outlast(bed.two());
    bed.faults(late).heal();
    release.land();
    bed.requireNothingLeft(late);
    bed.requireHeld(next);
    bed.requireBusy(bed.open());
    next.release();
    bed.requireFree();
  }

  /** And the next holder keeps it. */
  @ContractTest
  @DisplayName("R7 releasing a lease that was lost says so")
  default void R07_releasingWhatWasLostSaysSo(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.lock(bed.one()).with(bed.brief()));
    Lease next = bed.outlast(bed.two());
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    lease.release();
    bed.requireHeld(next);
    bed.requireBusy(bed.one());
    next.release();
  }

  /** Of the same lock, by the same client and by another. */
  @ContractTest
  @DisplayName("R7 a waiter that gives up frees nothing of the holder")
  default void R07_givingUpFreesNothingOfTheHolder(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.one());
    Testbed.giveUp(bed.lock(bed.two()), Duration.ofMillis(50));
    bed.requireNothingLeft(bed.two());
    bed.requireHeld(lease);
    bed.requireBusy(bed.open());
    lease.release();
  }

  /** The second call does nothing, no matter which client holds it by then. */
  @ContractTest
  @DisplayName("R8 release is idempotent")
  default void R08_releaseIsIdempotent(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.one());
    lease.release();
    lease.release();
    Lease next = bed.take(bed.two());
    lease.release();
    lease.close();
    bed.requireHeld(next);
    bed.requireBusy(bed.one());
    next.release();
  }

  /** What the engine repeats in the background meets the next holder. */
  @ContractTest
  @DisplayName("R8 a release that is repeated because its reply was lost does no harm")
  default void R08_aRepeatedReleaseHarmsNobody(Testbed bed) throws Exception {
    Lease lease = bed.take(bed.one());
    int sent = bed.faults(bed.one()).requests();
    for (int i = 0; i < 4; i++) {
      bed.faults(bed.one()).lose(sent + i, Loss.REPLY);
    }
    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
    Lease next = bed.take(bed.two());
    bed.requireNothingLeft(bed.one());
    bed.requireHeld(next);
    bed.requireBusy(bed.open());
    next.release();
  }

  /** Two of one client's. */
  @ContractTest
  @DisplayName("R8 a release frees the lease of its own name only")
  default void R08_aReleaseFreesOneName(Testbed bed) throws Exception {
    Lease first = bed.take(bed.one().lock(bed.name("a")));
    Lease second = bed.take(bed.one().lock(bed.name("b")));
    first.release();
    bed.requireFree(bed.name("a"));
    bed.requireHeld(second);
    assertThat(bed.two().lock(bed.name("b")).tryAcquire()).isEmpty();
    second.release();
  }

  /** Two leases of one client under one name. */
  @ContractTest
  @DisplayName("R8 a release is by lease id, not by name or client")
  default void R08_aReleaseIsByLeaseId(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    DistributedSemaphore one = bed.one().semaphore(bed.name(), 2);
    DistributedSemaphore two = bed.two().semaphore(bed.name(), 2);
    Lease first = bed.take(one);
    Lease second = bed.take(one);
    first.release();
    Lease third = bed.take(two);
    assertThat(two.tryAcquire()).as("while the second lease stands").isEmpty();
    third.release();
    second.release();
  }

  /** Two readers of two clients, and two of one. */
  @ContractTest
  @DisplayName("R8 a reader that leaves leaves the others in")
  default void R08_aReaderThatLeavesLeavesTheOthers(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    DistributedLock one = bed.one().readWriteLock(bed.name()).readLock();
    DistributedLock two = bed.two().readWriteLock(bed.name()).readLock();
    Lease first = bed.take(one);
    Lease second = bed.take(one);
    Lease third = bed.take(two);
    first.release();
    third.release();
    bed.requireHeld(second);
    assertThat(bed.open().readWriteLock(bed.name()).writeLock().tryAcquire()).isEmpty();
    second.release();
    bed.take(bed.open().readWriteLock(bed.name()).writeLock()).release();
  }
}
