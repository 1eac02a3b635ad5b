package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockKindException;
import io.leasehold.MultiLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;

/** R1 and R2: who may hold beside whom, and that a try does not wait. */
public interface ExclusionRules {
  /** Both ways, and free again after the release. */
  @ContractTest
  @DisplayName("R1 at most one client holds a lock")
  default void R01_onlyOneClientHolds(Testbed bed) throws Exception {
    Lease mine = bed.take(bed.one());
    bed.requireBusy(bed.two());
    mine.release();
    Lease theirs = bed.take(bed.two());
    bed.requireBusy(bed.one());
    theirs.release();
  }

  /** A counter that is not atomic, under the lock. */
  @ContractTest
  @DisplayName("R1 no update is lost under contention of two clients with three threads each")
  default void R01_noUpdateIsLostUnderContention(Testbed bed) throws Exception {
    int[] counter = new int[1];
    List<Caller<String>> workers = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      DistributedLock lock = bed.lock(t % 2 == 0 ? bed.one() : bed.two());
      workers.add(
          bed.start(
              () -> {
                for (int i = 0; i < 10; i++) {
                  try (Lease lease = lock.acquire(bed.patience())) {
                    int read = counter[0];
                    Thread.onSpinWait();
                    counter[0] = read + 1;
                    bed.requireBelieved(lease);
                  }
                }
                return "";
              }));
    }
    for (Caller<String> worker : workers) {
      worker.result();
    }
    assertThat(counter[0]).isEqualTo(60);
  }

  /** Both ways. */
  @ContractTest
  @DisplayName("R1 shared leases go with each other and exclude exclusive ones")
  default void R01_sharedLeasesExcludeExclusiveOnes(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    DistributedReadWriteLock one = bed.one().readWriteLock(bed.name());
    DistributedReadWriteLock two = bed.two().readWriteLock(bed.name());
    Lease reader = bed.take(one.readLock());
    Lease other = bed.take(two.readLock());
    assertThat(bed.open().readWriteLock(bed.name()).writeLock().tryAcquire()).isEmpty();
    reader.release();
    assertThat(one.writeLock().tryAcquire()).as("while one reads").isEmpty();
    other.release();
    Lease writer = bed.take(one.writeLock());
    assertThat(two.readLock().tryAcquire()).as("while one writes").isEmpty();
    writer.release();
    bed.take(two.readLock()).release();
  }

  /** Both ways. */
  @ContractTest
  @DisplayName("R1 the write lock of a name is the lock of that name")
  default void R01_theWriteLockIsTheLock(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    Lease writer = bed.take(bed.one().readWriteLock(bed.name()).writeLock());
    bed.requireBusy(bed.two());
    writer.release();
    Lease plain = bed.take(bed.one());
    assertThat(bed.two().readWriteLock(bed.name()).readLock().tryAcquire()).isEmpty();
    plain.release();
    bed.take(bed.two().readWriteLock(bed.name()).writeLock()).release();
  }

  /** By one client and by two. */
  @ContractTest
  @DisplayName("R1 a semaphore never has more permits out than it has")
  default void R01_permitsAreCounted(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    DistributedSemaphore one = bed.one().semaphore(bed.name(), 3);
    DistributedSemaphore two = bed.two().semaphore(bed.name(), 3);
    Lease pair = bed.take(one.permits(2));
    assertThat(two.permits(2).tryAcquire()).as("two of one").isEmpty();
    Lease single = bed.take(two);
    assertThat(one.tryAcquire()).as("one of none").isEmpty();
    assertThat(two.tryAcquire()).as("one of none").isEmpty();
    single.release();
    bed.take(two).release();
    pair.release();
    bed.take(two.permits(3)).release();
  }

  /** Sizes of one and two, by three clients. */
  @ContractTest
  @DisplayName("R1 a semaphore under contention never has more permits out than it has")
  default void R01_permitsAreCountedUnderContention(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    AtomicInteger out = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Caller<String>> workers = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      int permits = 1 + t / 2;
      LockClient client = bed.open();
      DistributedSemaphore semaphore = client.semaphore(bed.name(), 3).permits(permits);
      workers.add(
          bed.start(
              () -> {
                for (int i = 0; i < 8; i++) {
                  try (Lease lease = semaphore.acquire(bed.patience())) {
                    most.accumulateAndGet(out.addAndGet(permits), Math::max);
                    Thread.onSpinWait();
                    bed.requireBelieved(lease);
                    out.addAndGet(-permits);
                  }
                }
                return "";
              }));
    }
    for (Caller<String> worker : workers) {
      worker.result();
    }
    assertThat(most.get()).isBetween(1, 3);
  }

  /** A waiter for two does not take the one that is left. */
  @ContractTest
  @DisplayName("R1 permits are granted all or none")
  default void R01_permitsAreGrantedAllOrNone(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    DistributedSemaphore one = bed.one().semaphore(bed.name(), 3);
    DistributedSemaphore two = bed.two().semaphore(bed.name(), 3);
    Lease pair = bed.take(one.permits(2));
    assertThat(two.permits(2).tryAcquire()).isEmpty();
    bed.take(two).release();
    Testbed.giveUp(two.permits(3), Duration.ofMillis(50));
    bed.take(two).release();
    pair.release();
  }

  /** And no longer. */
  @ContractTest
  @DisplayName("R1 the size of a semaphore is fixed while a client holds")
  default void R01_theSizeBindsWhileAnybodyHolds(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    Lease held = bed.take(bed.one().semaphore(bed.name(), 2));
    assertThatThrownBy(bed.two().semaphore(bed.name(), 3)::tryAcquire)
        .isInstanceOf(LockKindException.class);
    assertThatThrownBy(() -> bed.two().semaphore(bed.name(), 3).acquire(bed.patience()))
        .isInstanceOf(LockKindException.class);
    held.release();
    bed.take(bed.two().semaphore(bed.name(), 3)).release();
  }

  /** Both ways. */
  @ContractTest
  @DisplayName("R1 a lock of another kind on the same name is an error")
  default void R01_aLockOfAnotherKindIsAnError(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    Lease held = bed.take(bed.one());
    assertThatThrownBy(bed.two().semaphore(bed.name(), 2)::tryAcquire)
        .isInstanceOf(LockKindException.class);
    held.release();
    Lease permit = bed.take(bed.one().semaphore(bed.name(), 2));
    assertThatThrownBy(bed.lock(bed.two())::tryAcquire).isInstanceOf(LockKindException.class);
    permit.release();
    bed.take(bed.two()).release();
  }

  /** Named in any order. */
  @ContractTest
  @DisplayName("R1 several locks are taken all or none")
  default void R01_severalLocksAreTakenAllOrNone(Testbed bed) throws Exception {
    String[] names = {bed.name("c"), bed.name("a"), bed.name("b")};
    Lease held = bed.take(bed.one().lock(bed.name("b")));
    assertThat(bed.two().allOf(names).tryAcquire()).isEmpty();
    bed.take(bed.one().lock(bed.name("a"))).release();
    bed.take(bed.one().lock(bed.name("c"))).release();
    held.release();
    Optional<MultiLease> all = bed.two().allOf(names).tryAcquire(Testbed.SOON);
    assertThat(all).isPresent();
    assertThat(bed.one().lock(bed.name("c")).tryAcquire()).isEmpty();
    all.orElseThrow().release();
    bed.requireFree(bed.name("a"));
  }

  /** The handle of all knows them by name. */
  @ContractTest
  @DisplayName("R1 several locks are held each once, in the order of their names")
  default void R01_severalLocksAreHeldEachOnce(Testbed bed) throws Exception {
    MultiLease all = bed.one().allOf(bed.name("b"), bed.name("a"), bed.name("b")).acquire();
    assertThat(all.isHeld()).isTrue();
    assertThat(all.leases()).extracting(Lease::name).containsExactly(bed.name("a"), bed.name("b"));
    all.release();
    bed.requireFree(bed.name("b"));
  }

  /** Two clients that name two locks in opposite order. */
  @ContractTest
  @DisplayName("R1 callers of several locks do not wait for each other in a circle")
  default void R01_severalLocksDoNotDeadlock(Testbed bed) throws Exception {
    List<Caller<String>> workers = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      LockClient client = t == 0 ? bed.one() : bed.two();
      String first = bed.name(t);
      String second = bed.name(1 - t);
      workers.add(
          bed.start(
              () -> {
                for (int i = 0; i < 10; i++) {
                  client.allOf(first, second).acquire(bed.patience()).release();
                }
                return "";
              }));
    }
    for (Caller<String> worker : workers) {
      worker.result();
    }
  }

  /** The holder stays for good, and a request may take a minute. */
  @ContractTest
  @DisplayName("R2 a single attempt does not wait for the holder")
  default void R02_aTryDoesNotWaitForTheHolder(Testbed bed) throws Exception {
    LockClient patient = bed.open(s -> s.withRequestTimeout(Duration.ofMinutes(1)));
    Lease held = bed.take(bed.one());
    Caller<Optional<Lease>> tried = bed.start(bed.lock(patient)::tryAcquire);
    assertThat(tried.endsWithin(Testbed.SOON)).as("the try has ended").isTrue();
    assertThat(tried.result()).isEmpty();
    held.release();
  }
}
