package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockClient;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** {@code ReentrantLock}: many threads that want it at once. */
abstract class LockContention extends Behaviours {
  private static final int THREADS = 6;
  private static final int VIRTUAL_THREADS = 100;

  private static final Duration A_WHILE = Duration.ofMillis(400);

  /** Guarded by the lock, and by nothing else. */
  private int guarded;

  private final AtomicInteger turns = new AtomicInteger();

  LockContention(JucFixture fixture) {
    super(fixture);
  }

  private LockClient clientOf(int thread) {
    return thread % 2 == 0 ? mine() : of(Rival.OTHER_CLIENT);
  }

  /** What a lock must guard: an update that two at once would lose. */
  private void takeATurn() {
    int seen = guarded;
    Thread.onSpinWait();
    guarded = seen + 1;
    turns.incrementAndGet();
  }

  private void allEnd(List<? extends Running<Integer>> threads) throws Exception {
    for (Running<Integer> thread : threads) {
      assertThat(thread.result()).as("turns of a thread").isPositive();
    }
    Lock lock = lock(mine());
    lock.lock();
    assertThat(guarded).as("turns seen under the lock").isEqualTo(turns.get());
    lock.unlock();
  }

  @Test
  void everyThreadHasItsTurnsAndNoneIsLost() throws Exception {
    Until time = runningFor(A_WHILE);
    List<Running<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Lock lock = lock(clientOf(i));
      threads.add(
          start(
              () -> {
                int mine = 0;
                do {
                  lock.lock();
                  lock.lock();
                  takeATurn();
                  lock.unlock();
                  mine++;
                  lock.unlock();
                } while (!time.isOver());
                return mine;
              }));
    }
    allEnd(threads);
  }

  /** Each thread takes the lock once and is gone. */
  @Test
  void manyThreadsThatComeOnceAreAllServed() throws Exception {
    List<Running<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 5 * THREADS; i++) {
      Lock lock = lock(clientOf(i / (2 * THREADS)));
      threads.add(start(() -> underIt(lock)));
    }
    allEnd(threads);
  }

  private int underIt(Lock lock) {
    lock.lock();
    try {
      takeATurn();
      return 1;
    } finally {
      lock.unlock();
    }
  }

  /** Every way to take it, short times, and interrupts that may come at any moment. */
  @Test
  void timeoutsAndInterruptsLoseNoTurn() throws Exception {
    Until time = runningFor(A_WHILE);
    List<Running<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Lock lock = lock(clientOf(i));
      int first = i;
      threads.add(
          start(
              () -> {
                int mine = 0;
                for (int way = first; mine == 0 || !time.isOver(); way++) {
                  mine += took(lock, way) ? turn(lock) : 0;
                }
                return mine;
              }));
    }
    soon("it was disturbed for a while")
        .until(
            () -> {
              threads.forEach(thread -> thread.thread.interrupt());
              return time.isOver();
            });
    allEnd(threads);
  }

  private int turn(Lock lock) {
    takeATurn();
    lock.unlock();
    return 1;
  }

  private static boolean took(Lock lock, int way) {
    try {
      switch (way % 4) {
        case 0 -> lock.lock();
        case 1 -> lock.lockInterruptibly();
        case 2 -> {
          return lock.tryLock();
        }
        default -> {
          return isTakenWithin(1, lock);
        }
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Holds belong to virtual threads as to others: counted, and refused to the carrier's next. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreadsHoldAsOthersDo() throws Exception {
    Lock lock = lock(mine());
    List<FutureTask<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < VIRTUAL_THREADS; i++) {
      threads.add(
          startVirtual(
              () -> {
                lock.lock();
                assertThat(lock.tryLock()).isTrue();
                // Lets another have the carrier.
                LockSupport.parkNanos(1);
                lock.unlock();
                return turn(lock);
              }));
    }
    for (FutureTask<Integer> thread : threads) {
      assertThat(thread.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    }
    allEnd(List.of());
    lock.lock();
    FutureTask<Boolean> stranger = startVirtual(() -> refused(lock));
    assertThat(stranger.get(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    lock.unlock();
  }

  private static boolean refused(Lock lock) {
    try {
      lock.unlock();
      return false;
    } catch (IllegalMonitorStateException e) {
      return !lock.tryLock();
    }
  }

  /** {@code Thread.startVirtualThread}, which the baseline does not have. */
  private static <T> FutureTask<T> startVirtual(Callable<T> work)
      throws ReflectiveOperationException {
    FutureTask<T> task = new FutureTask<>(work);
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    Object unused = start.invoke(null, task);
    return task;
  }
}
