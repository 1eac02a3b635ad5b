package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/**
 * R12 and R18 for virtual threads, under which an interrupt closes the socket that they read from.
 * From JDK 21 on.
 */
public interface VirtualThreadRules {
  /** In which a request succeeds also on a busy machine; what is cut off fails at once. */
  Duration SLOW = Duration.ofSeconds(20);

  /** Its flag is set before it asks. */
  @ContractTest
  @Tag("jdk")
  @DisplayName("R18 an interrupted virtual thread can try and release, and keeps the flag")
  default void R18_anInterruptedVirtualThreadReleases(Testbed bed) throws Exception {
    DistributedLock lock = bed.lock(bed.open(s -> s.withRequestTimeout(SLOW)));
    Caller<Integer> caller = bed.startVirtual(() -> releaseInterrupted(lock, 10));
    assertThat(caller.result()).isEqualTo(10);
    bed.requireFree();
  }

  private static int releaseInterrupted(DistributedLock lock, int rounds) {
    int done = 0;
    for (int i = 0; i < rounds; i++) {
      Thread.currentThread().interrupt();
      Lease lease = lock.tryAcquire().orElseThrow();
      lease.release();
      done += Thread.interrupted() ? 1 : 0;
    }
    return done;
  }

  /** They share the client, and so its connections. */
  @ContractTest
  @Tag("jdk")
  @DisplayName("R12 an interrupt of a virtual thread fails no request of another thread")
  default void R12_anInterruptedVirtualThreadHarmsNobody(Testbed bed) throws Exception {
    LockClient client = bed.open(s -> s.withRequestTimeout(SLOW));
    AtomicBoolean stop = new AtomicBoolean();
    List<Caller<Integer>> bystanders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      DistributedLock own = client.lock(bed.name("bystander" + i));
      bystanders.add(bed.startVirtual(() -> takeUntil(stop, own)));
      DistributedLock platform = client.lock(bed.name("platform" + i));
      bystanders.add(bed.start(() -> takeUntil(stop, platform)));
    }
    List<Caller<Integer>> interrupted = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      DistributedLock own = client.lock(bed.name("interrupted" + i));
      interrupted.add(bed.startVirtual(() -> releaseInterrupted(own, 10)));
    }
    for (Caller<Integer> caller : interrupted) {
      assertThat(caller.result()).isEqualTo(10);
    }
    stop.set(true);
    for (Caller<Integer> bystander : bystanders) {
      assertThat(bystander.result()).isPositive();
    }
  }

  private static int takeUntil(AtomicBoolean stop, DistributedLock lock) {
    int taken = 0;
    do {
      lock.tryAcquire().orElseThrow().release();
      taken++;
      // Where no request waits, virtual threads that never give way keep all others from running
      LockSupport.parkNanos(1);
    } while (!stop.get());
    return taken;
  }

  /** While it waits for a holder. */
  @ContractTest
  @Tag("jdk")
  @DisplayName("R18 an interrupt ends the wait of a virtual thread at once")
  default void R18_anInterruptEndsTheWaitOfAVirtualThread(Testbed bed) throws Exception {
    bed.needs(Ability.WAIT);
    Lease held = bed.take(bed.one());
    DistributedLock other = bed.lock(bed.two());
    Caller<Boolean> waiter =
        bed.startVirtual(
                () -> {
                  assertThatThrownBy(other::acquire)
                      .isExactlyInstanceOf(InterruptedException.class);
                  return Thread.currentThread().isInterrupted();
                })
            .waiting();
    waiter.interrupt();
    assertThat(waiter.endsWithin(Testbed.SOON)).as("the wait has ended").isTrue();
    assertThat(waiter.result()).as("the flag after InterruptedException").isFalse();
    held.release();
    bed.requireNothingLeft(bed.two());
    bed.requireFree();
  }
}
