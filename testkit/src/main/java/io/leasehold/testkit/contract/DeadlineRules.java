package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.DisplayName;

/** R16 and R18: when a call ends. One request of the clients may take ten minutes. */
public interface DeadlineRules {
  private static LockClient patient(Testbed bed) {
    return bed.open(
        s -> s.withRequestTimeout(Testbed.LONG).withCloseTimeout(Duration.ofMillis(100)));
  }

  /** Neither early nor late. */
  @ContractTest
  @DisplayName("R16 a wait for a busy lock ends at its deadline")
  default void R16_aWaitEndsAtItsDeadline(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    for (LockClient client : new LockClient[] {bed.one(), patient(bed)}) {
      long start = bed.now();
      Testbed.giveUp(bed.lock(client), Duration.ofMillis(200));
      assertThat(bed.since(start)).isBetween(Duration.ofMillis(200), Testbed.SOON);
    }
    assertThat(bed.lock(bed.two()).tryAcquire(Duration.ZERO)).isEmpty();
    assertThat(bed.lock(bed.two()).tryAcquire(Duration.ofSeconds(-1))).isEmpty();
    held.release();
  }

  /** From the first request on. */
  @ContractTest
  @DisplayName("R16 a wait ends at its deadline though the store is silent")
  default void R16_aWaitEndsThoughTheStoreIsSilent(Testbed bed) throws Exception {
    LockClient client = patient(bed);
    bed.crash(client);
    Caller<Optional<Lease>> waiter =
        bed.start(() -> bed.lock(client).tryAcquire(Duration.ofMillis(200)));
    assertThat(waiter.endsWithin(Testbed.SOON)).as("the wait has ended").isTrue();
    assertThatThrownBy(waiter::result).isInstanceOf(StoreException.class);
  }

  /** Without a thread that waits. */
  @ContractTest
  @DisplayName("R16 an asynchronous wait ends at its deadline though the store is silent")
  default void R16_anAsynchronousWaitEndsThoughTheStoreIsSilent(Testbed bed) {
    LockClient client = patient(bed);
    bed.crash(client);
    CompletionStage<Lease> waiter = bed.lock(client).acquireAsync(Duration.ofMillis(200));
    long start = bed.now();
    bed.await("its end", () -> waiter.toCompletableFuture().isDone());
    assertThat(bed.since(start)).isLessThan(Testbed.SOON);
    assertThat(waiter.toCompletableFuture()).isCompletedExceptionally();
  }

  /** It was busy once, then silent. */
  @ContractTest
  @DisplayName("R16 a wait ends at its deadline though the store falls silent meanwhile")
  default void R16_aWaitEndsThoughTheStoreFallsSilent(Testbed bed) throws Exception {
    LockClient client = patient(bed);
    Lease held = bed.take(bed.one());
    Caller<Optional<Lease>> waiter =
        bed.start(() -> bed.lock(client).tryAcquire(Duration.ofSeconds(1))).waiting();
    bed.crash(client);
    assertThat(waiter.endsWithin(Testbed.SOON.plusSeconds(1))).as("the wait has ended").isTrue();
    held.release();
  }

  /** First behind its own process, then behind another. */
  @ContractTest
  @DisplayName("R16 one budget covers the local queue and the store")
  default void R16_oneBudgetCoversTheLocalQueueAndTheStore(Testbed bed) throws Exception {
    Lease here = bed.take(bed.one());
    Caller<Lease> other = bed.start(() -> bed.lock(bed.two()).acquire(bed.patience())).waiting();
    long start = bed.now();
    Caller<Optional<Lease>> waiter =
        bed.start(() -> bed.lock(bed.one()).tryAcquire(Duration.ofSeconds(1)));
    bed.pass(Duration.ofMillis(200));
    here.release();
    waiter.result().ifPresent(Lease::release);
    assertThat(bed.since(start)).isLessThan(Testbed.SOON.plusSeconds(1));
    other.result().release();
  }

  // ---- R18

  /** While it waits for a holder. */
  @ContractTest
  @DisplayName("R18 an interrupt ends a wait at once, and is not wrapped")
  default void R18_anInterruptEndsAWait(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Caller<Boolean> waiter =
        bed.start(
                () -> {
                  assertThatThrownBy(() -> bed.lock(bed.two()).acquire())
                      .isExactlyInstanceOf(InterruptedException.class);
                  return Thread.currentThread().isInterrupted();
                })
            .waiting();
    waiter.interrupt();
    assertThat(waiter.endsWithin(Testbed.SOON)).as("the wait has ended").isTrue();
    assertThat(waiter.result()).as("the flag after InterruptedException").isFalse();
    held.release();
  }

  /** Though the lock is free. */
  @ContractTest
  @DisplayName("R18 a call on an interrupted thread throws, and takes nothing")
  default void R18_aCallOnAnInterruptedThreadThrows(Testbed bed) throws Exception {
    DistributedLock lock = bed.lock(bed.one());
    Caller<String> caller =
        bed.start(
            () -> {
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> lock.acquire(bed.patience()))
                  .isExactlyInstanceOf(InterruptedException.class);
              return "";
            });
    caller.result();
    bed.requireFree();
  }

  /** And its work is done. */
  @ContractTest
  @DisplayName("R18 what is not interruptible keeps the flag")
  default void R18_whatIsNotInterruptibleKeepsTheFlag(Testbed bed) throws Exception {
    DistributedLock lock = bed.lock(bed.one());
    Caller<Boolean> caller =
        bed.start(
            () -> {
              Thread.currentThread().interrupt();
              lock.tryAcquire().ifPresent(Lease::release);
              assertThat(Thread.currentThread().isInterrupted()).as("after tryAcquire").isTrue();
              Lock view = lock.asLock();
              view.lock();
              view.unlock();
              return Thread.interrupted();
            });
    assertThat(caller.result()).as("after lock and unlock").isTrue();
    bed.requireFree();
  }

  /** It gets the lock all the same, and finds the flag set. */
  @ContractTest
  @DisplayName("R18 asLock().lock() is not interruptible while it waits, and keeps the flag")
  default void R18_theLockViewWaitsOn(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Caller<Boolean> caller =
        bed.start(
                () -> {
                  Lock lock = bed.lock(bed.two()).asLock();
                  lock.lock();
                  boolean flag = Thread.interrupted();
                  lock.unlock();
                  return flag;
                })
            .waiting();
    caller.interrupt();
    caller.waiting();
    held.release();
    assertThat(caller.result()).as("the flag").isTrue();
  }
}
