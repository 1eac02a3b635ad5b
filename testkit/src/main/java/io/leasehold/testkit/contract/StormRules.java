package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;

/** R9 in numbers: waits that are given up at the moment of the grant, thousands of times. */
public interface StormRules {
  /** How many waits a storm has: enough to hit, few enough for the slowest store. */
  int WAITS = 400;

  /** Of one to a hundred microseconds, by four threads of two clients. */
  @ContractTest
  @DisplayName("R9 thousands of waits of microseconds leave no trace")
  default void R09_waitsOfMicrosecondsLeaveNoTrace(Testbed bed) throws Exception {
    AtomicInteger inside = new AtomicInteger();
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      DistributedLock lock = bed.lock(t % 2 == 0 ? bed.one() : bed.two());
      Random dice = new Random(t);
      callers.add(
          bed.start(
              () -> {
                int granted = 0;
                for (int i = 0; i < WAITS; i++) {
                  Duration wait = Duration.ofNanos(1_000L * (1 + dice.nextInt(100)));
                  try (Lease lease = lock.tryAcquire(wait).orElse(null)) {
                    if (lease != null) {
                      assertThat(inside.incrementAndGet()).isEqualTo(1);
                      granted++;
                      inside.decrementAndGet();
                    }
                  } catch (StoreException tooShort) {
                    assertThat(tooShort.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
                  }
                }
                return granted;
              }));
    }
    for (Caller<Integer> caller : callers) {
      caller.result();
    }
    bed.requireNothingLeft(bed.one());
    bed.requireNothingLeft(bed.two());
    bed.requireFree();
    bed.requireNothingInTheStore();
  }

  /** While the lock goes to and fro, so that some are cancelled as they are granted. */
  @ContractTest
  @DisplayName("R9 waits that are cancelled at any moment leave no trace")
  default void R09_cancelledWaitsLeaveNoTrace(Testbed bed) throws Exception {
    Random dice = new Random(9);
    DistributedLock here = bed.lock(bed.one());
    DistributedLock there = bed.lock(bed.two());
    long enough = bed.now() + bed.patience().toNanos();
    // A machine that runs many contracts at once takes long for what spins
    for (int i = 0; i < WAITS / 4 && (i < WAITS / 40 || bed.now() < enough); i++) {
      Lease held = bed.take(here);
      CompletableFuture<Lease> local = here.acquireAsync(Testbed.LONG);
      CompletableFuture<Lease> remote = there.acquireAsync(Testbed.LONG);
      Caller<String> canceller =
          bed.start(
              () -> {
                spin(bed, dice.nextInt(300_000));
                local.cancel(true);
                spin(bed, dice.nextInt(300_000));
                remote.cancel(true);
                return "";
              });
      spin(bed, dice.nextInt(300_000));
      held.release();
      canceller.result();
      releaseIfGranted(local);
      releaseIfGranted(remote);
    }
    bed.requireNothingLeft(bed.one());
    bed.requireNothingLeft(bed.two());
    bed.requireFree();
    bed.requireNothingInTheStore();
  }

  private static void spin(Testbed bed, int nanos) {
    long start = bed.now();
    while (bed.now() - start < nanos) {
      Thread.onSpinWait();
    }
  }

  private static void releaseIfGranted(CompletableFuture<Lease> future) {
    if (!future.isCancelled()) {
      future.join().release();
    }
  }

  /** Timed out behind a holder, many of them at once. */
  @ContractTest
  @DisplayName("R9 waiters that timed out cost no memory")
  default void R09_waitersThatTimedOutCostNoMemory(Testbed bed) throws Exception {
    LockClient waits = bed.two();
    Lease held = bed.take(bed.one());
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 10 * WAITS; i++) {
      waiters.add(bed.lock(waits).acquireAsync(Duration.ofMillis(1 + i % 50)));
    }
    bed.await("all to time out", () -> waiters.stream().allMatch(CompletableFuture::isDone));
    assertThat(waiters).allMatch(CompletableFuture::isCompletedExceptionally);
    bed.requireNothingLeft(waits);
    held.release();
    bed.requireFree();
    bed.requireNothingInTheStore();
  }
}
