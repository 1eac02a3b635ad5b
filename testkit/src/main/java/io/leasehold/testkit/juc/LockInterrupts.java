package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantLock}: what an interrupt ends, and what keeps it for later. */
abstract class LockInterrupts extends Behaviours {
  LockInterrupts(JucFixture fixture) {
    super(fixture);
  }

  private static List<ThrowingCallable> interruptible(Lock lock) {
    return List.of(
        lock::lockInterruptibly,
        () -> lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS),
        () -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
  }

  /** Throws, clears the flag, and leaves the thread without the lock. */
  private static void isInterrupted(ThrowingCallable wait) {
    assertThatThrownBy(wait).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).as("flag").isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void lockInterruptiblyTakesAFreeLock(Rival rival) throws Exception {
    Lock lock = lock(mine());
    lock.lockInterruptibly();
    assertThat(isFree(lock(of(rival)))).isFalse();
    lock.unlock();
    becomesFree(lock(of(rival)));
  }

  @Test
  void anInterruptBeforeIsThrownThoughTheLockIsFree() throws Exception {
    Lock lock = lock(mine());
    elsewhere(
        () -> {
          for (ThrowingCallable wait : interruptible(lock)) {
            Thread.currentThread().interrupt();
            isInterrupted(wait);
          }
          Thread.currentThread().interrupt();
          isInterrupted(() -> lock.tryLock(0, TimeUnit.SECONDS));
          assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
          return "";
        });
    becomesFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptBeforeIsThrownThoughTheLockIsHeld(Rival rival) throws Exception {
    Lock lock = lock(mine());
    lock.lock();
    elsewhere(
        () -> {
          for (ThrowingCallable wait : interruptible(lock(of(rival)))) {
            Thread.currentThread().interrupt();
            isInterrupted(wait);
          }
          return "";
        });
    lock.unlock();
  }

  @Test
  void anInterruptBeforeIsThrownThoughTheThreadHoldsIt() throws Exception {
    Lock lock = lock(mine());
    elsewhere(
        () -> {
          lock.lock();
          for (ThrowingCallable wait : interruptible(lock)) {
            Thread.currentThread().interrupt();
            isInterrupted(wait);
          }
          lock.unlock();
          assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
          return "";
        });
    becomesFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsAWait(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    for (ThrowingCallable wait : interruptible(theirs)) {
      Running<String> waiter =
          startWaiting(
              () -> {
                isInterrupted(wait);
                assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
                return "interrupted";
              });
      waiter.thread.interrupt();
      assertThat(waiter.result()).isEqualTo("interrupted");
    }
    assertThat(isFree(theirs)).as("the holder goes on").isFalse();
    lock.unlock();
    becomesFree(theirs);
  }

  @ParameterizedTest
  @EnumSource
  void lockWaitsOnAndKeepsTheFlag(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    AtomicBoolean released = new AtomicBoolean();
    lock.lock();
    Running<Boolean> before = startWaiting(() -> keepsTheFlag(theirs, true, released));
    Running<Boolean> meanwhile = startWaiting(() -> keepsTheFlag(theirs, false, released));
    meanwhile.thread.interrupt();
    assertThat(isFree(theirs)).isFalse();
    released.set(true);
    lock.unlock();
    assertThat(before.result()).as("interrupted before").isTrue();
    assertThat(meanwhile.result()).as("interrupted while it waited").isTrue();
  }

  private static boolean keepsTheFlag(Lock lock, boolean interruptFirst, AtomicBoolean released) {
    if (interruptFirst) {
      Thread.currentThread().interrupt();
    }
    lock.lock();
    try {
      assertThat(released).as("came free").isTrue();
      return Thread.currentThread().isInterrupted();
    } finally {
      lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotWaitKeepsTheFlag(Rival rival) throws Exception {
    Lock lock = lock(mine());
    elsewhere(
        () -> {
          Thread.currentThread().interrupt();
          lock.lock();
          lock.lock();
          assertThat(lock.tryLock()).isTrue();
          assertThat(Thread.currentThread().isInterrupted()).as("after locks").isTrue();
          for (int holds = 3; holds > 0; holds--) {
            lock.unlock();
          }
          assertThat(lock.tryLock()).as("of a free lock").isTrue();
          lock.unlock();
          assertThat(Thread.currentThread().isInterrupted()).as("after unlocks").isTrue();
          return "";
        });
    lock.lock();
    elsewhere(
        () -> {
          Thread.currentThread().interrupt();
          assertThat(lock(of(rival)).tryLock()).as("of a held lock").isFalse();
          assertThat(Thread.currentThread().isInterrupted()).as("after a try in vain").isTrue();
          return "";
        });
    lock.unlock();
    becomesFree(lock(of(rival)));
  }
}
