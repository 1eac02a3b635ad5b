package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;

/**
 * R20, of fair callers of one process that stand one behind another: a store may grant to them as
 * one run, and must not be seen to.
 */
public interface RunRules {
  /** How many callers. */
  int CROWD = 24;

  /** What the callers of a test have seen, and how far they may go. */
  final class Row {
    private final Testbed bed;
    private final List<Integer> served = new CopyOnWriteArrayList<>();
    private final List<Long> tokens = new CopyOnWriteArrayList<>();
    private final AtomicInteger mayEnd = new AtomicInteger();
    private int places;

    Row(Testbed bed) {
      bed.needs(Ability.FAIR);
      bed.needs(Ability.LIST);
      this.bed = bed;
    }

    static DistributedLock fair(Testbed bed, LockClient client) {
      return bed.lock(client).with(LockOptions.defaults().fair());
    }

    /** Lets one more caller wait, which holds the lock until as many as it may end. */
    Caller<Lease> add(LockClient client) {
      int number = places++;
      Caller<Lease> caller =
          bed.start(
              () -> {
                Lease lease = fair(bed, client).acquire(bed.patience());
                bed.requireBelieved(lease);
                tokens.add(fences() ? lease.fencingToken() : number);
                served.add(number);
                bed.await("its turn to end", () -> mayEnd.get() > number);
                lease.release();
                return lease;
              });
      bed.await("a place in the queue", () -> waiting() == places);
      return caller;
    }

    private boolean fences() {
      return bed.fixture().lacks(Ability.FENCING).isEmpty();
    }

    private int waiting() {
      return bed.lock(bed.two()).inspect().map(found -> found.waiters().size()).orElse(0);
    }

    /** Takes the lock and releases it at once. */
    long takeOnce(LockClient client) throws InterruptedException {
      Lease lease = fair(bed, client).acquire(bed.patience());
      bed.requireBelieved(lease);
      long token = fences() ? lease.fencingToken() : tokens.size();
      tokens.add(token);
      lease.release();
      return token;
    }

    /** Lets this many of them end. */
    void mayEnd(int count) {
      mayEnd.set(count);
    }

    void awaitServed(Integer... numbers) {
      bed.await("the turn of " + List.of(numbers), () -> served.equals(List.of(numbers)));
    }

    void requireTokensToRise() {
      assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
  }

  /** Three of one client, one of another, two of the first. */
  @ContractTest
  @DisplayName("R20 fair neighbours of one process are served in order, under rising tokens")
  default void R20_neighboursAreServedInOrder(Testbed bed) throws Exception {
    Row row = new Row(bed);
    Lease held = bed.take(bed.two());
    List<LockClient> order =
        List.of(bed.one(), bed.one(), bed.one(), bed.two(), bed.one(), bed.one());
    List<Caller<Lease>> callers = order.stream().map(row::add).toList();
    row.mayEnd(order.size());
    held.release();
    for (Caller<Lease> caller : callers) {
      caller.result();
    }
    row.awaitServed(0, 1, 2, 3, 4, 5);
    row.requireTokensToRise();
  }

  /** More than come to their places one by one; another client's stand between them. */
  @ContractTest
  @DisplayName("R20 each of a crowd of fair callers is served once, under rising tokens")
  default void R20_eachOfACrowdIsServedOnce(Testbed bed) throws Exception {
    Row row = new Row(bed);
    Lease held = bed.take(bed.two());
    List<Caller<Long>> crowd = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      LockClient client = i % 4 == 0 ? bed.two() : bed.one();
      crowd.add(bed.start(() -> row.takeOnce(client)));
    }
    bed.await("a place for each", () -> row.waiting() == CROWD);
    held.release();
    for (Caller<Long> caller : crowd) {
      caller.result();
    }
    assertThat(row.tokens).hasSize(CROWD);
    row.requireTokensToRise();
    bed.await("an empty queue", () -> row.waiting() == 0);
  }

  /** While the one before it holds the lock. */
  @ContractTest
  @DisplayName("R20 a fair neighbour that gave up is skipped, and leaves no trace")
  default void R20_aNeighbourThatGaveUpIsSkipped(Testbed bed) throws Exception {
    Row row = new Row(bed);
    Lease held = bed.take(bed.two());
    Caller<Lease> first = row.add(bed.one());
    Caller<Lease> second = row.add(bed.one());
    Caller<Lease> third = row.add(bed.one());
    Caller<Lease> last = row.add(bed.two());
    held.release();
    row.awaitServed(0);
    second.interrupt();
    assertThatThrownBy(second::result).isInstanceOf(InterruptedException.class);
    row.mayEnd(4);
    first.result();
    third.result();
    last.result();
    row.awaitServed(0, 2, 3);
    row.requireTokensToRise();
  }

  /** Its second caller holds the lock, its third waits. */
  @ContractTest
  @DisplayName("R20 a process that is closed amid its fair neighbours delays no other")
  default void R20_aProcessIsClosedAmidItsNeighbours(Testbed bed) throws Exception {
    Row row = new Row(bed);
    LockClient doomed = bed.open();
    amid(bed, row, doomed);
    doomed.close();
    row.awaitServed(0, 1, 3);
    row.mayEnd(4);
  }

  /** As before, but its leases and places end by their ttl. */
  @ContractTest
  @DisplayName("R20 a process that dies amid its fair neighbours loses its own places only")
  default void R20_aProcessDiesAmidItsNeighbours(Testbed bed) throws Exception {
    Row row = new Row(bed);
    LockClient doomed = bed.open(s -> s.withTtl(bed.fixture().shortTtl()));
    amid(bed, row, doomed);
    bed.crash(doomed);
    row.awaitServed(0, 1, 3);
    row.mayEnd(4);
  }

  /** The second of three callers of this client holds the lock; one of another waits behind. */
  private static void amid(Testbed bed, Row row, LockClient client) throws Exception {
    Lease held = bed.take(bed.two());
    Caller<Lease> first = row.add(client);
    row.add(client);
    row.add(client);
    row.add(bed.two());
    held.release();
    row.mayEnd(1);
    first.result();
    row.awaitServed(0, 1);
  }

  /** Of the last of three, which ends with the next client in. */
  @ContractTest
  @DisplayName("R20 the release after fair neighbours may lose its reply")
  default void R20_theReleaseAfterNeighboursLosesItsReply(Testbed bed) throws Exception {
    Row row = new Row(bed);
    Lease held = bed.take(bed.two());
    List<Caller<Lease>> callers =
        List.of(row.add(bed.one()), row.add(bed.one()), row.add(bed.one()));
    Caller<Lease> last = row.add(bed.two());
    held.release();
    row.mayEnd(2);
    row.awaitServed(0, 1, 2);
    bed.faults(bed.one()).loseReplies();
    row.mayEnd(4);
    assertThatThrownBy(callers.get(2)::result).isInstanceOf(StoreException.class);
    bed.faults(bed.one()).heal();
    last.result();
    row.awaitServed(0, 1, 2, 3);
    row.requireTokensToRise();
  }

  /** The second of three holds it. */
  @ContractTest
  @DisplayName("R20 a lease that is broken amid fair neighbours leaves the next their places")
  default void R20_aBreakAmidNeighboursLeavesTheNextTheirPlaces(Testbed bed) throws Exception {
    bed.needs(Ability.BREAK);
    Row row = new Row(bed);
    amid(bed, row, bed.one());
    LockSnapshot found = bed.lock(bed.two()).inspect().orElseThrow();
    assertThat(bed.lock(bed.two()).breakLease(found.holders().get(0).fencingToken())).isTrue();
    row.awaitServed(0, 1, 2);
    row.mayEnd(4);
    row.awaitServed(0, 1, 2, 3);
  }
}
