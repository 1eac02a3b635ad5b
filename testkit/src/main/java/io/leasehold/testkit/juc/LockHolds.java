package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantLock}: who holds it, how often, and who may give it back. */
abstract class LockHolds extends Behaviours {
  private static final int MANY = 10_000;

  LockHolds(JucFixture fixture) {
    super(fixture);
  }

  @ParameterizedTest
  @EnumSource
  void lockTakesAndUnlockFrees(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    becomesFree(theirs);
    lock.lock();
    assertThat(isFree(theirs)).isFalse();
    lock.unlock();
    becomesFree(theirs);
  }

  @Test
  void unlockOfAFreeLockIsRefused() {
    refusesUnlock(lock(mine()));
  }

  private static void refusesUnlock(Lock lock) {
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("'" + NAME + "'");
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheThreadThatLockedMayUnlock(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    elsewhere(
        () -> {
          refusesUnlock(theirs);
          return "";
        });
    assertThat(isFree(theirs)).as("after an unlock that was refused").isFalse();
    lock.unlock();
    refusesUnlock(lock);
  }

  /** However they were taken, and whether others try meanwhile or not. */
  @ParameterizedTest
  @EnumSource
  void asManyUnlocksAsLocksFreeIt(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    lock.lockInterruptibly();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock(LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
    lock.lock();
    for (int holds = 6; holds > 0; holds--) {
      assertThat(isFree(theirs)).as("while held %d times", holds).isFalse();
      lock.unlock();
    }
    becomesFree(theirs);
    refusesUnlock(lock);
  }

  @Test
  void itMayBeHeldManyTimes() throws Exception {
    Lock lock = lock(mine());
    for (int i = 0; i < MANY; i++) {
      lock.lock();
    }
    for (int i = 1; i < MANY; i++) {
      lock.unlock();
    }
    assertThat(isFree(lock)).isFalse();
    lock.unlock();
    becomesFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  void reentryDoesNotQueueBehindWaiters(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    Running<String> waiter = startWaiting(() -> passThrough(theirs));
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    lock.unlock();
    lock.unlock();
    lock.unlock();
    assertThat(waiter.isDone()).isFalse();
    lock.unlock();
    assertThat(waiter.result()).isEqualTo("passed");
  }

  @Test
  void viewsOfOneNameShareTheirHolds() throws Exception {
    lock(mine()).lock();
    lock(mine()).lock();
    mine().lock(NAME).asLock().unlock();
    assertThat(isFree(lock(mine()))).isFalse();
    lock(mine()).unlock();
    becomesFree(lock(mine()));
  }

  @Test
  void aViewInsideAScopeSharesItsHold() throws Exception {
    DistributedLock lock = mine().lock(NAME).with(fixture.options());
    lock.withLock(
        lease -> {
          lock.asLock().lock();
          lock.asLock().unlock();
          assertThat(isFree(lock.asLock())).isFalse();
          assertThat(lease.isHeld()).isTrue();
        });
    becomesFree(lock.asLock());
  }

  /** Another client of the same thread is another holder. */
  @Test
  void twoClientsInOneThreadAreTwoHolders() {
    Lock lock = lock(mine());
    Lock theirs = lock(of(Rival.OTHER_CLIENT));
    lock.lock();
    assertThat(theirs.tryLock()).isFalse();
    refusesUnlock(theirs);
    lock.unlock();
    assertThat(theirs.tryLock()).isTrue();
    refusesUnlock(lock);
    theirs.unlock();
  }

  @Test
  void locksOfSeveralNamesAreLeftInAnyOrder() throws Exception {
    int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int[] order : orders) {
      List<Lock> locks = new ArrayList<>();
      for (int i = 0; i < order.length; i++) {
        locks.add(mine().lock(NAME + i).with(fixture.options()).asLock());
        locks.get(i).lock();
      }
      for (int index : order) {
        assertThat(isFree(locks.get(index))).isFalse();
        locks.get(index).unlock();
        becomesFree(locks.get(index));
      }
    }
  }

  @Test
  void aNonReentrantLockRefusesItsOwnThread() throws Exception {
    Lock lock = mine().lock(NAME).with(fixture.options().nonReentrant()).asLock();
    lock.lock();
    assertThatThrownBy(lock::lock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock.tryLock()).isFalse();
    assertThat(timed(() -> assertThat(lock.tryLock(1, TimeUnit.HOURS)).isFalse()))
        .as("at once")
        .isLessThan(LONG);
    lock.unlock();
    becomesFree(lock);
    assertThat(lock.tryLock()).as("a second time, one after the other").isTrue();
    lock.unlock();
  }

  /** As with any lock: only its client can let it go then. */
  @Test
  void aThreadThatEndsKeepsItsLock() throws Exception {
    LockClient closing = of(Rival.OTHER_CLIENT);
    elsewhere(
        () -> {
          lock(closing).lock();
          return "";
        });
    assertThat(isFree(lock(closing))).isFalse();
    assertThat(isFree(lock(mine()))).isFalse();
    refusesUnlock(lock(closing));
    closing.close();
    becomesFree(lock(mine()));
  }

  @Test
  void conditionsAreRefused() {
    Lock lock = lock(mine());
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    lock.lock();
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    lock.unlock();
  }

  @Test
  void aViewTellsItsName() {
    assertThat(lock(mine())).asString().contains(NAME);
  }
}
