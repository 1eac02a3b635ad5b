package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code Semaphore}: waiting for permits, order, interrupts, and many threads. */
abstract class SemaphoreWaits extends Behaviours {
  private static final Duration A_WHILE = Duration.ofMillis(400);

  SemaphoreWaits(JucFixture fixture) {
    super(fixture);
  }

  /** One permit and several, by each way to wait. */
  @ParameterizedTest
  @EnumSource
  void aReleaseWakesAWaiter(Way way) throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    for (Rival rival : Rival.values()) {
      for (int permits : new int[] {1, 3}) {
        Lease all = semaphore.permits(3).acquire();
        DistributedSemaphore theirs = semaphore(of(rival), 3).permits(permits);
        Running<String> waiter = startWaiting(() -> passThrough(way, theirs));
        all.release();
        assertThat(waiter.result()).isEqualTo("passed");
      }
    }
  }

  private static String passThrough(Way way, DistributedSemaphore semaphore) throws Exception {
    way.take(semaphore).release();
    return "passed";
  }

  /** Three that wait for one permit each are inside together once three are given back. */
  @ParameterizedTest
  @EnumSource
  void oneReleaseServesAsManyAsItCan(Rival rival) throws Exception {
    Lease all = semaphore(mine(), 3).permits(3).acquire();
    CountDownLatch place = new CountDownLatch(3);
    List<Running<Boolean>> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiters.add(
          startWaiting(
              () -> {
                try (Lease lease = semaphore(of(rival), 3).acquire()) {
                  return meet(place) && lease.isHeld();
                }
              }));
    }
    all.release();
    for (Running<Boolean> waiter : waiters) {
      assertThat(waiter.result()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"SAME_CLIENT, 1", "SAME_CLIENT, 2", "OTHER_CLIENT, 1", "OTHER_CLIENT, 2"})
  void timedWaitsTimeOutAndNeverEarly(Rival rival, int permits) throws Exception {
    Lease held = semaphore(mine(), 2).permits(3 - permits).acquire();
    Lease other = permits == 1 ? held : semaphore(mine(), 2).tryAcquire().orElseThrow();
    DistributedSemaphore theirs = semaphore(of(rival), 2).permits(permits);
    assertThat(timed(() -> assertThat(theirs.tryAcquire(SHORT)).isEmpty()))
        .isGreaterThanOrEqualTo(SHORT);
    Callable<Object> acquire =
        () ->
            assertThatThrownBy(() -> theirs.acquire(SHORT))
                .isInstanceOf(LockTimeoutException.class);
    assertThat(timed(acquire)).isGreaterThanOrEqualTo(SHORT);
    assertThat(theirs.tryAcquire(Duration.ofSeconds(-1))).isEmpty();
    other.release();
    held.release();
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptBeforeIsThrownThoughPermitsAreFree(Way way) throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    for (int permits : new int[] {1, 3}) {
      Running<Boolean> caller =
          start(
              () -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> way.take(semaphore.permits(permits)))
                    .isInstanceOf(InterruptedException.class);
                return Thread.currentThread().isInterrupted();
              });
      assertThat(caller.result()).as("flag").isFalse();
    }
    semaphore.permits(3).acquire(LONG).release();
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsAWait(Way way) throws Exception {
    Lease two = semaphore(mine(), 3).permits(2).acquire();
    Lease last = semaphore(mine(), 3).acquire();
    for (Rival rival : Rival.values()) {
      for (int permits : new int[] {1, 3}) {
        DistributedSemaphore theirs = semaphore(of(rival), 3).permits(permits);
        Running<Boolean> waiter =
            startWaiting(
                () -> {
                  assertThatThrownBy(() -> way.take(theirs))
                      .isInstanceOf(InterruptedException.class);
                  return Thread.currentThread().isInterrupted();
                });
        waiter.thread.interrupt();
        assertThat(waiter.result()).as("flag").isFalse();
      }
    }
    last.release();
    two.release();
    semaphore(mine(), 3).permits(3).acquire(LONG).release();
  }

  @Test
  void aTryWorksWhileInterruptedAndKeepsTheFlag() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 1);
    elsewhere(
        () -> {
          Thread.currentThread().interrupt();
          Lease only = semaphore.tryAcquire().orElseThrow();
          assertThat(semaphore.tryAcquire()).isEmpty();
          only.release();
          assertThat(Thread.currentThread().isInterrupted()).as("flag").isTrue();
          return "";
        });
    semaphore.acquire(LONG).release();
  }

  /** Two are free, but he who wants three was first. */
  @Test
  void whoWantsFewDoesNotOvertakeWhoWantsMany() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    Lease one = semaphore.acquire();
    List<String> order = new CopyOnWriteArrayList<>();
    Running<String> many = startWaiting(() -> noted(semaphore.permits(3), "many", order));
    assertThat(semaphore.tryAcquire()).as("a try").isEmpty();
    assertThat(semaphore.tryAcquire(Duration.ZERO)).as("a try with no time").isEmpty();
    Running<String> few = startWaiting(() -> noted(semaphore, "few", order));
    assertThat(order).isEmpty();
    one.release();
    assertThat(many.result()).isEqualTo("many");
    assertThat(few.result()).isEqualTo("few");
    assertThat(order).containsExactly("many", "few");
  }

  private static String noted(DistributedSemaphore semaphore, String who, List<String> order)
      throws InterruptedException {
    try (Lease lease = semaphore.acquire()) {
      order.add(who);
      assertThat(lease.isHeld()).isTrue();
      return who;
    }
  }

  @Test
  void fairWaitersOfTwoClientsAreServedInOrder() throws Exception {
    assumeTrue(isFair(), "only fair locks have an order across clients");
    Lease one = semaphore(mine(), 3).acquire();
    List<String> order = new CopyOnWriteArrayList<>();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Rival who = i % 2 == 0 ? Rival.OTHER_CLIENT : Rival.SAME_CLIENT;
      DistributedSemaphore semaphore = semaphore(of(who), 3).permits(i % 2 == 0 ? 3 : 1);
      String number = "" + i;
      int queued = i + 1;
      waiters.add(startWaiting(() -> noted(semaphore, number, order)));
      soon("it is queued in the store")
          .until(() -> semaphore.inspect().orElseThrow().waiters().size() == queued);
    }
    one.release();
    for (Running<String> waiter : waiters) {
      assertThat(waiter.result()).isNotEmpty();
    }
    assertThat(order).containsExactly("0", "1", "2", "3");
  }

  /** He who wanted three gives up: the two that are free go to those behind. */
  @Test
  void whoGivesUpLetsTheNextHaveWhatIsFree() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    Lease one = semaphore.acquire();
    Running<String> many = startWaiting(() -> passThrough(Way.ACQUIRE, semaphore.permits(3)));
    Running<String> few = startWaiting(() -> passThrough(Way.ACQUIRE, semaphore.permits(2)));
    many.thread.interrupt();
    assertThatThrownBy(many::result).hasCauseInstanceOf(InterruptedException.class);
    assertThat(few.result()).as("beside the first").isEqualTo("passed");
    one.release();
  }

  /** Never more than there are, every thread has its turns, and nothing is left over. */
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void moreThanItsSizeAreNeverOut(int most) throws Exception {
    AtomicInteger out = new AtomicInteger();
    Until time = runningFor(A_WHILE);
    List<Running<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int permits = 1 + i % most;
      Rival who = i % 2 == 0 ? Rival.SAME_CLIENT : Rival.OTHER_CLIENT;
      DistributedSemaphore semaphore = semaphore(of(who), 3).permits(permits);
      threads.add(
          start(
              () -> {
                int turns = 0;
                do {
                  try (Lease lease = semaphore.acquire()) {
                    assertThat(out.addAndGet(permits)).isBetween(permits, 3);
                    assertThat(lease.isHeld()).isTrue();
                    out.addAndGet(-permits);
                  }
                  turns++;
                } while (!time.isOver());
                return turns;
              }));
    }
    for (Running<Integer> thread : threads) {
      assertThat(thread.result()).isPositive();
    }
    semaphore(mine(), 3).permits(3).acquire(LONG).release();
  }
}
