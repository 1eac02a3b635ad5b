package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.Trait;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;

/** R11: who wakes a waiter. The ttl is ten minutes throughout. */
public interface WakeUpRules {
  /** By wake-ups alone: each of several waiters in turn. */
  @ContractTest
  @DisplayName("R11 waiters are woken, with polling off")
  default void R11_waitersAreWoken(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    everyWaiterIsServed(bed, Faults::stopPolls);
  }

  /** By polling alone. */
  @ContractTest
  @DisplayName("R11 a lost wake-up costs a poll, never a ttl")
  default void R11_aLostWakeUpCostsAPoll(Testbed bed) throws Exception {
    everyWaiterIsServed(bed, Faults::dropWakeUps);
  }

  private static void everyWaiterIsServed(Testbed bed, Consumer<Faults> without) throws Exception {
    Lease held = bed.take(bed.one());
    List<Caller<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      LockClient client = bed.open();
      without.accept(bed.faults(client));
      waiters.add(bed.start(() -> acquireAndRelease(bed.lock(client), bed)));
    }
    waiters.forEach(Caller::waiting);
    held.release();
    for (Caller<String> waiter : waiters) {
      waiter.result();
    }
  }

  private static String acquireAndRelease(DistributedLock lock, Testbed bed)
      throws InterruptedException {
    lock.acquire(bed.patience()).release();
    return "";
  }

  /** As long as one wakes the next. */
  @ContractTest
  @DisplayName("R11 fair waiters are woken, with polling off")
  default void R11_fairWaitersAreWoken(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    bed.needs(Ability.FAIR);
    everyFairWaiterIsServed(bed, Faults::stopPolls);
  }

  /** Also where the lock is granted to the first in the queue at the release. */
  @ContractTest
  @DisplayName("R11 a fair waiter whose wake-up is lost is served by polling")
  default void R11_aFairWaitersLostWakeUpCostsAPoll(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    everyFairWaiterIsServed(bed, Faults::dropWakeUps);
  }

  private static void everyFairWaiterIsServed(Testbed bed, Consumer<Faults> without)
      throws Exception {
    LockOptions fair = LockOptions.defaults().fair();
    Lease held = bed.take(bed.one());
    LockClient client = bed.two();
    without.accept(bed.faults(client));
    List<Caller<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiters.add(bed.start(() -> acquireAndRelease(bed.lock(client).with(fair), bed)).waiting());
    }
    held.release();
    for (Caller<String> waiter : waiters) {
      waiter.result();
    }
  }

  /** Readers all at once, then the writer. */
  @ContractTest
  @DisplayName("R11 readers and writers are woken, with polling off")
  default void R11_readersAndWritersAreWoken(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    bed.needs(Ability.SHARED);
    Lease writer = bed.take(bed.one());
    List<Caller<Lease>> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      LockClient client = bed.open();
      bed.faults(client).stopPolls();
      DistributedLock read = client.readWriteLock(bed.name()).readLock();
      readers.add(bed.start(() -> read.acquire(bed.patience())).waiting());
    }
    writer.release();
    List<Lease> reading = new ArrayList<>();
    for (Caller<Lease> reader : readers) {
      reading.add(reader.result());
    }
    bed.faults(bed.two()).stopPolls();
    DistributedLock write = bed.two().readWriteLock(bed.name()).writeLock();
    Caller<Lease> next = bed.start(() -> write.acquire(bed.patience())).waiting();
    reading.forEach(Lease::release);
    next.result().release();
  }

  /** Two of them. */
  @ContractTest
  @DisplayName("R11 waiters for permits are woken, with polling off")
  default void R11_waitersForPermitsAreWoken(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    bed.needs(Ability.PERMITS);
    List<Lease> first =
        List.of(
            bed.take(bed.one().semaphore(bed.name(), 2)),
            bed.take(bed.two().semaphore(bed.name(), 2)));
    List<Caller<Lease>> waiters =
        waiters(bed, LockOptions.defaults(), List.of(bed.open(), bed.open()));
    first.forEach(Lease::release);
    allHold(waiters);
  }

  /** They ask for one permit each, and two come free at once. */
  @ContractTest
  @DisplayName("R11 one release serves all fair waiters that it has room for, with polling off")
  default void R11_oneReleaseServesAllThatFit(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    bed.needs(Ability.PERMITS);
    bed.needs(Ability.FAIR);
    Lease both = bed.take(bed.one().semaphore(bed.name(), 2).permits(2));
    List<Caller<Lease>> waiters =
        waiters(bed, LockOptions.defaults().fair(), List.of(bed.open(), bed.open()));
    both.release();
    allHold(waiters);
  }

  /** All that wait are woken at once, and the first in the queue is the last to ask. */
  @ContractTest
  @DisplayName(
      "R11 a fair waiter that asked before its turn is woken at its turn, with polling off")
  default void R11_aFairWaiterThatAskedTooEarlyIsWoken(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    bed.needs(Ability.PERMITS);
    bed.needs(Ability.FAIR);
    Lease both = bed.take(bed.one().semaphore(bed.name(), 2).permits(2));
    List<LockClient> clients = List.of(bed.open(), bed.open());
    List<Caller<Lease>> waiters = waiters(bed, LockOptions.defaults().fair(), clients);
    Faults first = bed.faults(clients.get(0));
    first.cut();
    both.release();
    bed.pass(Duration.ofMillis(50));
    first.heal();
    allHold(waiters);
  }

  /** A caller of each client waits for one permit of two, and does not poll. */
  private static List<Caller<Lease>> waiters(
      Testbed bed, LockOptions options, List<LockClient> clients) throws Exception {
    List<Caller<Lease>> waiters = new ArrayList<>();
    for (LockClient client : clients) {
      bed.faults(client).stopPolls();
      DistributedLock single = client.semaphore(bed.name(), 2).with(options);
      waiters.add(bed.startAnswered(client, single, bed.patience()));
    }
    return waiters;
  }

  private static void allHold(List<Caller<Lease>> waiters) throws Exception {
    List<Lease> held = new ArrayList<>();
    for (Caller<Lease> waiter : waiters) {
      held.add(waiter.result());
    }
    held.forEach(Lease::release);
  }

  /** The wake-up came while it was not connected. */
  @ContractTest
  @DisplayName("R11 a waiter that was disconnected finds out when it is connected again")
  default void R11_aReconnectedWaiterAsksAgain(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    Faults faults = bed.faults(bed.two());
    faults.stopPolls();
    Lease held = bed.take(bed.one());
    Caller<Lease> waiter = bed.startAnswered(bed.two(), bed.patience());
    faults.cut();
    held.release();
    bed.pass(Duration.ofMillis(50));
    assertThat(waiter.isDone()).isFalse();
    faults.heal();
    waiter.result().release();
  }

  /**
   * Whether the store had heard of the watch or not: what was armed is gone with the connection.
   */
  @ContractTest
  @DisplayName("R11 a watch that is cut before its answer leaves no waiter deaf, with polling off")
  default void R11_aWatchThatIsCutLeavesNobodyDeaf(Testbed bed) throws Exception {
    bed.needs(Ability.SIGNALS);
    List<BiFunction<Faults, Integer, Faults.Delayed>> cuts =
        List.of(Faults::delay, Faults::delayLoss);
    for (BiFunction<Faults, Integer, Faults.Delayed> cut : cuts) {
      LockClient client = bed.open();
      Faults faults = bed.faults(client);
      faults.stopPolls();
      Lease held = bed.take(bed.one());
      // After the attempt, which is answered
      Faults.Delayed watch = cut.apply(faults, faults.requests() + 1);
      Caller<String> waiter = bed.start(() -> acquireAndRelease(bed.lock(client), bed));
      bed.await("the watch", watch::isSent);
      faults.cut();
      faults.heal();
      watch.land();
      waiter.waiting();
      held.release();
      waiter.result();
    }
  }

  /** Its store forgot whom to wake. */
  @ContractTest
  @DisplayName("R11 a waiter survives a restart of the store")
  default void R11_aWaiterSurvivesARestart(Testbed bed) throws Exception {
    bed.needs(Ability.RESTART);
    Lease held = bed.take(bed.one());
    Caller<Lease> waiter = bed.startAnswered(bed.two(), bed.patience());
    bed.fixture().restart();
    try {
      held.release();
    } catch (StoreException e) {
      // The connection ended with the store: it is repeated in the background.
      assertThat(e.failure()).isNotEqualTo(Failure.REFUSED);
    } catch (LeaseLostException e) {
      // Its session ended with the store, and it was told.
      assertThat(bed.fixture().traits().map(Traits::has).orElse(Set.of()))
          .doesNotContain(Trait.SURVIVES_RESTART);
    }
    waiter.result().release();
  }
}
