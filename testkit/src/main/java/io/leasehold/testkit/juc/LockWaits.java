package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantLock}: waiting, being woken, order, giving up. */
abstract class LockWaits extends Behaviours {
  private static final int ROUNDS = 20;

  LockWaits(JucFixture fixture) {
    super(fixture);
  }

  @ParameterizedTest
  @EnumSource
  void unlockWakesAWaiter(Rival rival) throws Exception {
    Lock lock = lock(mine());
    lock.lock();
    Running<String> waiter = startWaiting(() -> passThrough(lock(of(rival))));
    lock.unlock();
    assertThat(waiter.result()).isEqualTo("passed");
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheLastUnlockWakesAWaiter(Rival rival) throws Exception {
    Lock lock = lock(mine());
    lock.lock();
    lock.lock();
    Running<String> waiter = startWaiting(() -> passThrough(lock(of(rival))));
    lock.unlock();
    assertThat(isFree(lock)).isFalse();
    assertThat(waiters(of(rival))).isEqualTo(1);
    lock.unlock();
    assertThat(waiter.result()).isEqualTo("passed");
  }

  @Test
  void eachUnlockWakesTheNextInOrder() throws Exception {
    Lock lock = lock(mine());
    lock.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      waiters.add(startWaiting(inOrder(mine(), i, order)));
    }
    assertThat(order).isEmpty();
    lock.unlock();
    for (Running<String> waiter : waiters) {
      assertThat(waiter.result()).isEmpty();
    }
    assertThat(order).isSorted().hasSize(9);
  }

  /** Takes the lock in one of the ways that wait, and notes its number. */
  private Callable<String> inOrder(LockClient client, int number, List<Integer> order) {
    return () -> {
      Lock lock = lock(client);
      if (number % 3 == 0) {
        lock.lock();
      } else if (number % 3 == 1) {
        lock.lockInterruptibly();
      } else {
        assertThat(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      }
      order.add(number);
      lock.unlock();
      return "";
    };
  }

  /** Elsewhere one process may hand the lock on among its own threads. */
  @Test
  void fairWaitersOfTwoClientsAreServedInOrder() throws Exception {
    assumeTrue(isFair(), "only fair locks have an order across clients");
    Lock lock = lock(mine());
    lock.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      LockClient client = of(i % 2 == 0 ? Rival.OTHER_CLIENT : Rival.SAME_CLIENT);
      int number = i;
      waiters.add(startWaiting(inOrder(client, number, order)));
      soon("it is queued in the store").until(() -> queued() == number + 1);
    }
    lock.unlock();
    for (Running<String> waiter : waiters) {
      assertThat(waiter.result()).isEmpty();
    }
    assertThat(order).isSorted().hasSize(8);
  }

  private int queued() {
    return mine().lock(NAME).inspect().orElseThrow().waiters().size();
  }

  @Test
  void thoseThatGiveUpDoNotDisturbTheOrder() throws Exception {
    Lock lock = lock(mine());
    lock.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Running<String>> staying = new ArrayList<>();
    List<Running<Boolean>> leaving = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      leaving.add(startWaiting(() -> lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)));
      staying.add(startWaiting(inOrder(mine(), i, order)));
    }
    for (Running<Boolean> waiter : leaving) {
      waiter.thread.interrupt();
      assertThatThrownBy(waiter::result)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InterruptedException.class);
    }
    lock.unlock();
    for (Running<String> waiter : staying) {
      assertThat(waiter.result()).isEmpty();
    }
    assertThat(order).isSorted().hasSize(6);
  }

  /** The first of two gives up: by its time, by an interrupt. */
  @ParameterizedTest
  @EnumSource
  void whenTheFirstGivesUpTheNextIsServed(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    Running<Boolean> hasty =
        startWaiting(() -> theirs.tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS));
    Running<String> called =
        startWaiting(
            () -> {
              theirs.lockInterruptibly();
              return "locked";
            });
    Running<String> patient = startWaiting(() -> passThrough(theirs));
    assertThat(hasty.result()).isFalse();
    called.thread.interrupt();
    assertThatThrownBy(called::result).hasCauseInstanceOf(InterruptedException.class);
    assertThat(patient.isDone()).isFalse();
    lock.unlock();
    assertThat(patient.result()).isEqualTo("passed");
  }

  /** An unlock that meets a waiter at its deadline wakes it or the one behind it. */
  @ParameterizedTest
  @EnumSource
  void anUnlockThatMeetsATimeoutIsNotLost(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    for (int round = 0; round < ROUNDS; round++) {
      lock.lock();
      Running<Boolean> hasty =
          start(
              () -> {
                boolean taken = isTakenWithin(2, theirs);
                if (taken) {
                  theirs.unlock();
                }
                return taken;
              });
      Running<String> patient = startWaiting(() -> passThrough(theirs));
      lock.unlock();
      assertThat(patient.result()).isEqualTo("passed");
      assertThat(hasty.result()).isNotNull();
    }
  }

  /** The same with an interrupt. */
  @ParameterizedTest
  @EnumSource
  void anUnlockThatMeetsAnInterruptIsNotLost(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    for (int round = 0; round < ROUNDS; round++) {
      lock.lock();
      Running<Boolean> called = startWaiting(() -> passUnlessInterrupted(theirs));
      Running<String> patient = startWaiting(() -> passThrough(theirs));
      Running<String> interrupter =
          start(
              () -> {
                called.thread.interrupt();
                return "";
              });
      lock.unlock();
      assertThat(patient.result()).isEqualTo("passed");
      assertThat(called.result()).isNotNull();
      assertThat(interrupter.result()).isEmpty();
    }
  }

  private static boolean passUnlessInterrupted(Lock lock) {
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      return false;
    }
    lock.unlock();
    return true;
  }
}
