package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** R4: fencing tokens strictly rise per name. */
public interface TokenRules {
  /** Of clients that take turns, and of one that takes it again. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over releases")
  default void R04_tokensRiseOverReleases(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    long last = 0;
    for (int i = 0; i < 12; i++) {
      Lease lease = bed.take(i % 3 == 0 ? bed.one() : bed.two());
      assertThat(lease.fencingToken()).isGreaterThan(last);
      last = lease.fencingToken();
      lease.release();
    }
  }

  /** Its holder is dead. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over an expiry")
  default void R04_tokensRiseOverAnExpiry(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    Lease first = bed.take(bed.one());
    first.release();
    LockClient dies = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    Lease expires = bed.take(dies);
    bed.crash(dies);
    Lease next = bed.outlast(bed.two());
    assertThat(expires.fencingToken()).isGreaterThan(first.fencingToken());
    assertThat(next.fencingToken()).isGreaterThan(expires.fencingToken());
    next.release();
  }

  /** Threads of one client, and the other client after them. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over hand-overs inside a process")
  default void R04_tokensRiseOverHandOvers(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    Lease first = bed.take(bed.one());
    List<Caller<Long>> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiters.add(bed.start(() -> tokenOf(bed, bed.lock(bed.one()))).waiting());
    }
    first.release();
    long last = first.fencingToken();
    for (Caller<Long> waiter : waiters) {
      assertThat(waiter.result()).isGreaterThan(last);
      last = waiter.result();
    }
    assertThat(tokenOf(bed, bed.lock(bed.two()))).isGreaterThan(last);
  }

  private static long tokenOf(Testbed bed, DistributedLock lock) throws InterruptedException {
    try (Lease lease = lock.acquire(bed.patience())) {
      return lease.fencingToken();
    }
  }

  /** The number of the broken lease is used up. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over a break")
  default void R04_tokensRiseOverABreak(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    bed.needs(Ability.BREAK);
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl().multipliedBy(3)));
    // Opened first: that takes time, and the lease is short
    LockClient other = bed.two();
    Lease broken = bed.take(doomed);
    assertThat(bed.lock(other).breakLease(broken.fencingToken())).isTrue();
    Lease next = bed.take(other);
    assertThat(next.fencingToken()).isGreaterThan(broken.fencingToken());
    bed.await("the loss", () -> !broken.isHeld());
    next.release();
  }

  /** With its data. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over a restart of the store")
  default void R04_tokensRiseOverARestart(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    bed.needs(Ability.RESTART);
    Lease before = bed.take(bed.one());
    before.release();
    bed.fixture().restart();
    Lease after = bed.take(bed.open());
    assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
    after.release();
  }

  /** All clients closed, and others opened. */
  @ContractTest
  @DisplayName("R4 fencing tokens rise over the clients' own restart")
  default void R04_tokensRiseOverTheEndOfAllClients(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    LockClient client = bed.open();
    Lease before = bed.take(client);
    before.release();
    bed.close(client);
    Lease after = bed.take(bed.open());
    assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
    after.release();
  }

  /** Of readers of two clients, and of two of one client. */
  @ContractTest
  @DisplayName(
      "R4 a reader's token is above those of earlier writers and below those of later ones")
  default void R04_aReadersTokenLiesBetweenThoseOfWriters(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    bed.needs(Ability.SHARED);
    DistributedLock write = bed.one().readWriteLock(bed.name()).writeLock();
    Lease writer = bed.take(write);
    writer.release();
    List<Lease> readers = new ArrayList<>();
    readers.add(bed.take(bed.one().readWriteLock(bed.name()).readLock()));
    readers.add(bed.take(bed.two().readWriteLock(bed.name()).readLock()));
    readers.add(bed.take(bed.one().readWriteLock(bed.name()).readLock()));
    assertThat(readers)
        .extracting(Lease::fencingToken)
        .doesNotHaveDuplicates()
        .allMatch(token -> token > writer.fencingToken());
    readers.forEach(Lease::release);
    Lease later = bed.take(write);
    assertThat(readers)
        .extracting(Lease::fencingToken)
        .allMatch(token -> token < later.fencingToken());
    later.release();
  }

  /** Held beside each other and one after the other. */
  @ContractTest
  @DisplayName("R4 the tokens of a semaphore's leases rise")
  default void R04_tokensOfPermitsRise(Testbed bed) throws Exception {
    bed.needs(Ability.FENCING);
    bed.needs(Ability.PERMITS);
    DistributedSemaphore one = bed.one().semaphore(bed.name(), 2);
    Lease first = bed.take(one);
    Lease second = bed.take(bed.two().semaphore(bed.name(), 2));
    assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    first.release();
    Lease third = bed.take(one);
    assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
    second.release();
    third.release();
  }
}
