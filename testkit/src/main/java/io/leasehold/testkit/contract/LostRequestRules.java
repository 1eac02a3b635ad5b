package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;

/**
 * R9 where the fate of a request is unknown: what a client does is done again and again, each time
 * with another of its requests lost, on its way there or on its way back, until all were. After
 * each the next client must be in within seconds, though the ttl is ten minutes, with nothing left
 * in doubt.
 */
public interface LostRequestRules {
  /** Long enough for what a waiter asks first, if the machine is not busy. */
  Duration GIVES_UP = Duration.ofMillis(150);

  /** On any machine. */
  Duration GIVES_UP_LAST = GIVES_UP.multipliedBy(16);

  /** What a client does, and which of its requests is lost. */
  @FunctionalInterface
  interface Act {
    /** Does it. */
    void by(LockClient client, String name) throws Exception;
  }

  /** What must be possible after it. */
  @FunctionalInterface
  interface Next {
    /** Requires it. */
    void by(Testbed bed, String name) throws Exception;
  }

  /** Acquire and release. */
  @ContractTest
  @DisplayName("R9 whichever request of an acquire and release is lost, nothing is left")
  default void R09_anyRequestOfAPairMayBeLost(Testbed bed) throws Exception {
    int points =
        loseEach(bed, (client, name) -> client.lock(name).acquire(bed.patience()).release());
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(4);
  }

  /** A try, which tells no other client of itself. */
  @ContractTest
  @DisplayName("R9 whichever request of a try is lost, nothing is left")
  default void R09_anyRequestOfATryMayBeLost(Testbed bed) throws Exception {
    int points =
        loseEach(
            bed,
            (client, name) -> {
              try (Lease held = bed.take(bed.one().lock(name))) {
                assertThat(client.lock(name).tryAcquire()).isEmpty();
                bed.requireBelieved(held);
              }
            });
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(2);
  }

  /** The lock comes free while it waits. */
  @ContractTest
  @DisplayName("R9 whichever request of a waiter is lost, it is served and nothing is left")
  default void R09_anyRequestOfAWaiterMayBeLost(Testbed bed) throws Exception {
    int points =
        loseEach(
            bed,
            (client, name) -> {
              Lease held = bed.take(bed.one().lock(name));
              CompletableFuture<Lease> waiter = client.lock(name).acquireAsync(bed.patience());
              bed.pass(Duration.ofMillis(30));
              held.release();
              bed.start(waiter::get).result().release();
            });
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(4);
  }

  /** The lock stays busy. */
  @ContractTest
  @DisplayName("R9 whichever request of a waiter that times out is lost, nothing is left")
  default void R09_anyRequestOfAWaiterThatTimesOutMayBeLost(Testbed bed) throws Exception {
    // Its first, either way, and what it asks when it gives up
    loseEachOfAWaiterThatTimesOut(bed, LockOptions.defaults(), 3);
  }

  /** In the store's queue. */
  @ContractTest
  @DisplayName("R9 whichever request of a fair waiter is lost, nothing is left")
  default void R09_anyRequestOfAFairWaiterMayBeLost(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    // Its first, and what it asks when it gives up, each of them either way
    loseEachOfAWaiterThatTimesOut(bed, LockOptions.defaults().fair(), 4);
  }

  /** Reader, then writer. */
  @ContractTest
  @DisplayName("R9 whichever request of a reader and a writer is lost, nothing is left")
  default void R09_anyRequestOfAReaderMayBeLost(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    int points =
        loseEach(
            bed,
            (client, name) -> {
              client.readWriteLock(name).readLock().acquire(bed.patience()).release();
              client.readWriteLock(name).writeLock().acquire(bed.patience()).release();
            });
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(8);
  }

  /** Two of three, twice. */
  @ContractTest
  @DisplayName("R9 whichever request for permits is lost, all permits are left")
  default void R09_anyRequestForPermitsMayBeLost(Testbed bed) throws Exception {
    bed.needs(Ability.PERMITS);
    int points =
        loseEach(
            bed,
            (client, name) ->
                client.semaphore(name, 3).permits(2).acquire(bed.patience()).release(),
            (all, name) -> all.take(all.one().semaphore(name, 3).permits(3)).release());
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(4);
  }

  /** Two of them. */
  @ContractTest
  @DisplayName("R9 whichever request for several locks is lost, nothing is left")
  default void R09_anyRequestForSeveralLocksMayBeLost(Testbed bed) throws Exception {
    int points =
        loseEach(
            bed,
            (client, name) -> client.allOf(name, name + "-b").acquire(bed.patience()).release());
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(8);
  }

  /** It waits longer where the machine is too busy for so many requests. */
  private static void loseEachOfAWaiterThatTimesOut(Testbed bed, LockOptions how, int least)
      throws Exception {
    int points = 0;
    for (Duration wait = GIVES_UP;
        points < least && wait.compareTo(GIVES_UP_LAST) <= 0;
        wait = wait.multipliedBy(4)) {
      Duration givesUp = wait;
      points =
          loseEach(
              bed,
              (client, name) -> {
                try (Lease held = bed.take(bed.one().lock(name))) {
                  Testbed.giveUp(client.lock(name).with(how), givesUp);
                  bed.requireBelieved(held);
                }
              });
    }
    assertThat(points).as("requests that were lost").isGreaterThanOrEqualTo(least);
  }

  /** Yields how many requests were lost. */
  private static int loseEach(Testbed bed, Act act) throws Exception {
    return loseEach(bed, act, Testbed::requireFree);
  }

  private static int loseEach(Testbed bed, Act act, Next next) throws Exception {
    int points = 0;
    for (Loss loss : Loss.values()) {
      boolean wasSent = true;
      for (int index = 0; wasSent; index++) {
        String name = bed.name(loss + "-" + index);
        LockClient client = bed.open();
        Faults faults = bed.faults(client);
        faults.lose(index, loss);
        try {
          act.by(client, name);
        } catch (StoreException told) {
          // UNAVAILABLE: no connection in time for the request after the lost one
          assertThat(told.failure()).isIn(Failure.UNKNOWN_OUTCOME, Failure.UNAVAILABLE);
        }
        next.by(bed, name);
        bed.requireNothingLeft(client);
        wasSent = faults.requests() > index;
        points += wasSent ? 1 : 0;
        bed.close(client);
      }
    }
    bed.requireNothingInTheStore();
    return points;
  }
}
