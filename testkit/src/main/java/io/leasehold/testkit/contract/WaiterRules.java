package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.StoreException;
import io.leasehold.testkit.contract.Faults.Delayed;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;

/** R9: a waiter that gives up leaves no trace. The ttl is ten minutes throughout. */
public interface WaiterRules {
  /** By either method. */
  @ContractTest
  @DisplayName("R9 a waiter that times out leaves no trace")
  default void R09_aWaiterThatTimesOutLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Testbed.giveUp(bed.lock(bed.two()), Duration.ofMillis(50));
    // The latter on a machine that is too slow to hear of the holder in that time
    assertThatThrownBy(() -> bed.lock(bed.two()).acquire(Duration.ofMillis(50)))
        .isInstanceOfAny(LockTimeoutException.class, StoreException.class);
    requireNoTraceAfter(bed, held);
  }

  /** On the way to the store or in the local queue. */
  @ContractTest
  @DisplayName("R9 a waiter that is interrupted leaves no trace")
  default void R09_aWaiterThatIsInterruptedLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    for (LockClient client : new LockClient[] {bed.one(), bed.two()}) {
      Caller<Lease> waiter = bed.start(() -> bed.lock(client).acquire(Testbed.LONG)).waiting();
      waiter.interrupt();
      assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
    }
    requireNoTraceAfter(bed, held);
  }

  /** By cancelling the future. */
  @ContractTest
  @DisplayName("R9 a waiter that is cancelled leaves no trace")
  default void R09_aWaiterThatIsCancelledLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    CompletableFuture<Lease> waiter = bed.lock(bed.two()).acquireAsync(Testbed.LONG);
    bed.pass(Duration.ofMillis(50));
    assertThat(waiter.cancel(true)).isTrue();
    requireNoTraceAfter(bed, held);
  }

  /** Beside a waiter that stays. */
  @ContractTest
  @DisplayName("R9 a waiter that gives up does not delay those behind it")
  default void R09_whoGivesUpIsNotInTheWay(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Caller<Lease> givesUp = bed.start(() -> bed.lock(bed.two()).acquire(Testbed.LONG)).waiting();
    Caller<String> local = bed.start(() -> acquireAndRelease(bed, bed.two())).waiting();
    LockClient third = bed.open();
    Caller<String> remote = bed.start(() -> acquireAndRelease(bed, third)).waiting();
    givesUp.interrupt();
    assertThatThrownBy(givesUp::result).isInstanceOf(InterruptedException.class);
    held.release();
    local.result();
    remote.result();
  }

  private static String acquireAndRelease(Testbed bed, LockClient client)
      throws InterruptedException {
    bed.lock(client).acquire(bed.patience()).release();
    return "";
  }

  /** Of fair waiters. */
  @ContractTest
  @DisplayName("R9 a fair waiter that gives up does not delay those behind it")
  default void R09_aFairWaiterThatGivesUpIsNotInTheWay(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    LockOptions fair = LockOptions.defaults().fair();
    Lease held = bed.take(bed.lock(bed.one()).with(fair));
    Caller<Lease> givesUp =
        bed.start(() -> bed.lock(bed.two()).with(fair).acquire(Testbed.LONG)).waiting();
    LockClient third = bed.open();
    Caller<Lease> behind =
        bed.start(() -> bed.lock(third).with(fair).acquire(bed.patience())).waiting();
    givesUp.interrupt();
    assertThatThrownBy(givesUp::result).isInstanceOf(InterruptedException.class);
    held.release();
    behind.result().release();
  }

  /** Of several locks it lets go what it had. */
  @ContractTest
  @DisplayName("R9 a waiter for several locks that gives up leaves no trace")
  default void R09_aWaiterForSeveralLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one().lock(bed.name("b")));
    String[] names = {bed.name("a"), bed.name("b")};
    CompletableFuture<MultiLease> waiter = bed.two().allOf(names).acquireAsync(Testbed.LONG);
    bed.pass(Duration.ofMillis(50));
    waiter.cancel(true);
    bed.requireFree(bed.name("a"));
    held.release();
    bed.requireFree(bed.name("b"));
  }

  /** Waiting readers and permits. */
  @ContractTest
  @DisplayName("R9 a writer that gives up does not delay readers")
  default void R09_aWriterThatGivesUpLetsReadersIn(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    Lease reader = bed.take(bed.one().readWriteLock(bed.name()).readLock());
    Testbed.giveUp(bed.two().readWriteLock(bed.name()).writeLock(), Duration.ofMillis(50));
    bed.take(bed.open().readWriteLock(bed.name()).readLock()).release();
    reader.release();
  }

  /** Of a semaphore: it took none of what was left. */
  @ContractTest
  @DisplayName("R9 a waiter for permits that gives up leaves all permits")
  default void R09_aWaiterForPermitsLeavesAll(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    Lease held = bed.take(bed.one().semaphore(bed.name(), 1));
    Testbed.giveUp(bed.two().semaphore(bed.name(), 1), Duration.ofMillis(50));
    bed.requireNothingLeft(bed.two());
    held.release();
    bed.take(bed.open().semaphore(bed.name(), 1)).release();
    bed.requireNothingInTheStore();
  }

  private static void requireNoTraceAfter(Testbed bed, Lease held) throws InterruptedException {
    bed.requireNothingLeft(bed.two());
    held.release();
    bed.take(bed.one()).release();
    bed.requireFree();
    bed.requireNothingInTheStore();
  }

  // ---- the ghost

  /** What took no effect never will. */
  @ContractTest
  @DisplayName("R9 an attempt that was refused for want of a connection is never granted later")
  default void R09_aRefusedAttemptIsNotRepeatedBehindOurBack(Testbed bed) throws Exception {
    bed.faults(bed.two()).cut();
    assertThatThrownBy(bed.lock(bed.two())::tryAcquire).isInstanceOf(StoreException.class);
    bed.faults(bed.two()).heal();
    bed.requireFree();
    bed.requireNothingInTheStore();
  }

  /** Its request overtook the withdrawal of it, or the other way round. */
  @ContractTest
  @DisplayName("R9 an attempt that lands after its withdrawal is never granted")
  default void R09_aGhostIsNeverGranted(Testbed bed) throws Exception {
    bed.needs(Ability.LATE_REQUESTS);
    LockClient hasty = bed.open(s -> s.withRequestTimeout(Duration.ofSeconds(1)));
    Delayed ghost = bed.faults(hasty).delay(0);
    Testbed.giveUp(bed.lock(hasty), Duration.ZERO);
    bed.pass(Duration.ofMillis(100));
    ghost.land();
    bed.requireFree();
    bed.requireNothingLeft(hasty);
    bed.requireNothingInTheStore();
  }

  /** The client does not hear of it: its connection broke before, and the withdrawal was final. */
  @ContractTest
  @DisplayName(
      "R9 an attempt of a broken connection that lands after its withdrawal is never granted")
  default void R09_aGhostOfABrokenConnectionIsNeverGranted(Testbed bed) throws Exception {
    bed.needs(Ability.LATE_REQUESTS);
    Lease held = bed.take(bed.one());
    LockClient cutOff = bed.open();
    Delayed ghost = bed.faults(cutOff).delayUnanswered(0);
    Testbed.giveUp(bed.lock(cutOff), Duration.ofMillis(500));
    bed.requireNothingLeft(cutOff);
    held.release();
    ghost.land();
    bed.requireFree();
    bed.requireNothingLeft(cutOff);
    bed.requireNothingInTheStore();
  }

  /** And of one that waits in the store's queue. */
  @ContractTest
  @DisplayName("R9 an attempt that lands after its waiter gave up blocks no one")
  default void R09_aGhostThatWaitsBlocksNobody(Testbed bed) throws Exception {
    bed.needs(Ability.LATE_REQUESTS);
    Lease held = bed.take(bed.one());
    LockClient hasty = bed.open(s -> s.withRequestTimeout(Duration.ofSeconds(1)));
    Delayed ghost = bed.faults(hasty).delay(0);
    Testbed.giveUp(bed.lock(hasty), Duration.ofSeconds(2));
    bed.pass(Duration.ofMillis(100));
    ghost.land();
    held.release();
    bed.requireFree();
    bed.requireNothingLeft(hasty);
    bed.requireNothingInTheStore();
  }

  /** The store granted it meanwhile, without the client's knowledge. */
  @ContractTest
  @DisplayName("R9 a waiter that gives up while its connection is cut leaves no trace after it")
  default void R09_givingUpDuringACutLeavesNoTrace(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    Caller<Optional<Lease>> waiter =
        bed.start(() -> bed.lock(bed.two()).tryAcquire(Duration.ofSeconds(1))).waiting();
    bed.faults(bed.two()).loseReplies();
    held.release();
    try {
      waiter.result().ifPresent(Lease::release);
    } catch (StoreException told) {
      assertThat(told).hasMessageContaining(bed.name());
    }
    bed.faults(bed.two()).heal();
    bed.requireFree();
  }
}
