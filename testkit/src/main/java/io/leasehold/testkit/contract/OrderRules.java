package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;

/** R20: who is served next. */
public interface OrderRules {
  /** Five of them. */
  @ContractTest
  @DisplayName("R20 waiters of one process are served first come, first served")
  default void R20_waitersOfOneProcessAreServedInOrder(Testbed bed) throws Exception {
    Lease held = bed.take(bed.one());
    List<Integer> served = new CopyOnWriteArrayList<>();
    List<Caller<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiters.add(queued(bed, bed.lock(bed.one()), i, served).waiting());
    }
    held.release();
    for (Caller<String> waiter : waiters) {
      waiter.result();
    }
    assertThat(served).containsExactly(0, 1, 2, 3, 4);
  }

  private static Caller<String> queued(
      Testbed bed, DistributedLock lock, int number, List<Integer> served) {
    return bed.start(
        () -> {
          try (Lease lease = lock.acquire(bed.patience())) {
            served.add(number);
            bed.requireBelieved(lease);
          }
          return "";
        });
  }

  /** Tried at the moment of the release. */
  @ContractTest
  @DisplayName("R20 no try overtakes a waiter of its process")
  default void R20_noTryOvertakesAWaiter(Testbed bed) throws Exception {
    DistributedLock lock = bed.lock(bed.one());
    for (int i = 0; i < 5; i++) {
      Lease held = bed.take(lock);
      AtomicBoolean served = new AtomicBoolean();
      AtomicBoolean mayEnd = new AtomicBoolean();
      Caller<String> waiter =
          bed.start(
                  () -> {
                    try (Lease lease = lock.acquire(bed.patience())) {
                      bed.requireBelieved(lease);
                      served.set(true);
                      bed.await("the try", mayEnd::get);
                    }
                    return "";
                  })
              .waiting();
      held.release();
      assertThat(lock.tryAcquire()).as("a try behind a waiter").isEmpty();
      mayEnd.set(true);
      waiter.result();
      assertThat(served).isTrue();
    }
  }

  /** While threads of one process hand it to each other. */
  @ContractTest
  @DisplayName("R20 local hand-over does not starve the other process")
  default void R20_handOverDoesNotStarveOthers(Testbed bed) throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    List<Caller<String>> workers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      workers.add(
          bed.start(
              () -> {
                while (!end.get()) {
                  bed.lock(bed.one()).acquire(bed.patience()).release();
                }
                return "";
              }));
    }
    for (int i = 0; i < 3; i++) {
      bed.lock(bed.two()).acquire(bed.patience()).release();
    }
    end.set(true);
    for (Caller<String> worker : workers) {
      worker.result();
    }
  }

  /** At each release another caller of the holder's client waits already. */
  @ContractTest
  @DisplayName("R20 a lease that another process waits for goes back after few hand-overs")
  default void R20_aWantedLeaseGoesBackSoon(Testbed bed) throws Exception {
    bed.needs(Ability.WAIT);
    DistributedLock here = bed.lock(bed.one());
    Lease lease = bed.take(here);
    Caller<String> there =
        bed.start(
            () -> {
              bed.lock(bed.two()).acquire(Testbed.LONG).release();
              return "";
            });
    there.waiting();
    int handOvers = 0;
    while (!there.isDone() && handOvers < 400) {
      CompletableFuture<Lease> next = here.acquireAsync(Testbed.LONG);
      bed.pass(Duration.ofMillis(20));
      lease.release();
      lease = next.get();
      handOvers++;
    }
    assertThat(handOvers).as("hand-overs while another process waits").isLessThan(400);
    lease.release();
    there.result();
  }

  /** Of three clients, in an order that is not theirs. */
  @ContractTest
  @DisplayName("R20 fair waiters are served in order across processes")
  default void R20_fairWaitersAreServedInOrder(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    bed.needs(Ability.LIST);
    LockOptions fair = LockOptions.defaults().fair();
    LockClient[] clients = {bed.one(), bed.two(), bed.open()};
    Lease held = bed.take(bed.lock(clients[2]).with(fair));
    List<Integer> served = new CopyOnWriteArrayList<>();
    List<Caller<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int client = new int[] {1, 0, 0, 2, 1, 0}[i];
      waiters.add(queued(bed, bed.lock(clients[client]).with(fair), i, served));
      int places = i + 1;
      bed.await("a place in the queue", () -> waitersOf(bed) == places);
    }
    held.release();
    for (Caller<String> waiter : waiters) {
      waiter.result();
    }
    assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
  }

  /** It asks again when it is connected again, and is not heard of after that: polling is off. */
  @ContractTest
  @DisplayName("R20 an attempt that is repeated keeps a fair waiter's place for one more ttl")
  default void R20_aRepeatedAttemptKeepsItsPlace(Testbed bed) throws Exception {
    bed.needs(Ability.FAIR);
    bed.needs(Ability.LIST);
    Duration ttl = bed.fixture().shortTtl();
    LockOptions brief = LockOptions.defaults().fair().withTtl(ttl);
    Lease held = bed.take(bed.one());
    bed.faults(bed.two()).stopPolls();
    Caller<Lease> waiter =
        bed.start(() -> bed.lock(bed.two()).with(brief).acquire(Testbed.LONG)).waiting();
    bed.await("a place in the queue", () -> waitersOf(bed) == 1);
    bed.pass(ttl.multipliedBy(2).dividedBy(5));
    long repeated = bed.now();
    bed.faults(bed.two()).heal();
    bed.await("the end of the place", () -> waitersOf(bed) == 0);
    assertThat(bed.since(repeated)).isGreaterThanOrEqualTo(ttl.multipliedBy(4).dividedBy(5));
    waiter.interrupt();
    assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
    held.release();
  }

  private static int waitersOf(Testbed bed) {
    return bed.lock(bed.two()).inspect().map(found -> found.waiters().size()).orElse(0);
  }

  /** Of another client, and of the reader's own. */
  @ContractTest
  @DisplayName("R20 a reader that comes while a writer waits is served after it")
  default void R20_aReaderDoesNotSlipPastAWriter(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    DistributedLock write = bed.two().readWriteLock(bed.name()).writeLock();
    DistributedLock read = bed.one().readWriteLock(bed.name()).readLock();
    DistributedLock third = bed.open().readWriteLock(bed.name()).readLock();
    Lease reading = bed.take(read);
    List<String> served = new CopyOnWriteArrayList<>();
    Caller<String> writer = entering(bed, write, "writer", served);
    if (bed.fixture().lacks(Ability.LIST).isEmpty()) {
      bed.await("the writer's place", () -> waitersOf(bed) == 1);
    } else {
      writer.waiting();
    }
    assertThat(third.tryAcquire()).as("a try to read past the writer").isEmpty();
    Caller<String> late = entering(bed, third, "reader", served).waiting();
    bed.pass(Duration.ofMillis(50));
    assertThat(served).isEmpty();
    reading.release();
    writer.result();
    late.result();
    assertThat(served).containsExactly("writer", "reader");
  }

  private static Caller<String> entering(
      Testbed bed, DistributedLock lock, String who, List<String> served) {
    return bed.start(
        () -> {
          try (Lease lease = lock.acquire(bed.patience())) {
            served.add(who);
            bed.requireBelieved(lease);
          }
          return "";
        });
  }
}
