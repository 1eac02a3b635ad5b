package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantLock}: tries, with a time and without. */
abstract class LockTries extends Behaviours {
  private static final int SEVERAL = 30;

  private static final long[] NO_TIMES = {0, -1, Long.MIN_VALUE};

  LockTries(JucFixture fixture) {
    super(fixture);
  }

  @ParameterizedTest
  @EnumSource
  void aTryTakesAFreeLock(Rival rival) throws Exception {
    Lock lock = lock(mine());
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock()).as("again").isTrue();
    assertThat(isFree(lock(of(rival)))).isFalse();
    lock.unlock();
    assertThat(isFree(lock(of(rival)))).isFalse();
    lock.unlock();
    becomesFree(lock(of(rival)));
  }

  @ParameterizedTest
  @EnumSource
  void aTryForAHeldLockFailsAndHoldsNothing(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    elsewhere(
        () -> {
          assertThat(theirs.tryLock()).isFalse();
          assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
          return "";
        });
    lock.unlock();
  }

  @Test
  void aTryWithNoTimeTakesAFreeLock() throws Exception {
    Lock lock = lock(mine());
    for (long time : NO_TIMES) {
      assertThat(lock.tryLock(time, TimeUnit.NANOSECONDS)).isTrue();
      assertThat(lock.tryLock(time, TimeUnit.DAYS)).as("again").isTrue();
      lock.unlock();
      lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTryWithNoTimeForAHeldLockFails(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    for (long time : NO_TIMES) {
      assertThat(elsewhere(() -> theirs.tryLock(time, TimeUnit.NANOSECONDS))).isFalse();
      assertThat(elsewhere(() -> theirs.tryLock(time, TimeUnit.DAYS))).isFalse();
    }
    lock.unlock();
  }

  @ParameterizedTest
  @EnumSource
  void aTimedTryTimesOutAndNeverEarly(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    Duration time =
        elsewhere(
            () ->
                timed(
                    () ->
                        assertThat(theirs.tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                            .isFalse()));
    assertThat(time).isGreaterThanOrEqualTo(SHORT);
    lock.unlock();
    becomesFree(theirs);
  }

  @Test
  void aTimedTryTakesAFreeLock() throws Exception {
    Lock lock = lock(mine());
    assertThat(lock.tryLock(LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    assertThat(isFree(lock)).isFalse();
    lock.unlock();
    becomesFree(lock);
  }

  /** Also with more time than a clock can count. */
  @ParameterizedTest
  @EnumSource
  void aTimedTryWaitsForTheHolder(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    for (long time : new long[] {LONG.toNanos(), Long.MAX_VALUE}) {
      lock.lock();
      Running<Boolean> waiter =
          startWaiting(
              () -> {
                boolean taken = theirs.tryLock(time, TimeUnit.NANOSECONDS);
                theirs.unlock();
                return taken;
              });
      lock.unlock();
      assertThat(waiter.result()).isTrue();
    }
    lock.lock();
    Running<Boolean> longest =
        startWaiting(
            () -> {
              boolean taken = theirs.tryLock(Long.MAX_VALUE, TimeUnit.DAYS);
              theirs.unlock();
              return taken;
            });
    lock.unlock();
    assertThat(longest.result()).isTrue();
  }

  /**
   * Other than with {@code ReentrantLock}, where a try takes whatever is free at that moment: here
   * it finds the lock taken as long as a thread of its process waits. The waiter has a ttl of its
   * own, so that nothing is handed over to it and the lock is free for a moment.
   */
  @Test
  void noTryOvertakesAWaiter() throws Exception {
    LockOptions anotherTtl = fixture.options().withTtl(Duration.ofMinutes(9));
    Lock lock = lock(mine());
    Lock patient = mine().lock(NAME).with(anotherTtl).asLock();
    List<String> order = new CopyOnWriteArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    for (int round = 0; round < SEVERAL; round++) {
      lock.lock();
      order.clear();
      over.set(false);
      Running<String> waiter =
          startWaiting(
              () -> {
                patient.lock();
                order.add("waiter");
                over.set(true);
                patient.unlock();
                return "";
              });
      List<Running<String>> triers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        triers.add(start(() -> tryUntil(over, lock, order)));
      }
      lock.unlock();
      assertThat(waiter.result()).isEmpty();
      for (Running<String> trier : triers) {
        assertThat(trier.result()).isEmpty();
      }
      assertThat(order).startsWith("waiter");
    }
  }

  private static String tryUntil(AtomicBoolean over, Lock lock, List<String> order)
      throws InterruptedException {
    while (!over.get()) {
      if (lock.tryLock() || lock.tryLock(0, TimeUnit.SECONDS)) {
        order.add("try");
        lock.unlock();
      }
    }
    return "";
  }

  @ParameterizedTest
  @EnumSource
  void manyTriesThatTimeOutLeaveNothing(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    elsewhere(
        () -> {
          for (int i = 0; i < SEVERAL; i++) {
            assertThat(isTakenWithin(1, theirs)).isFalse();
          }
          return "";
        });
    Engine client = (Engine) of(rival);
    soon("nothing is left of them")
        .until(
            () ->
                client.ledger().waiters() + client.ledger().tickets() + client.ledger().limbo()
                    == 0);
    lock.unlock();
  }

  /** A storm of waits, each too short, wins the lock soon after it is free. */
  @ParameterizedTest
  @EnumSource
  void shortWaitsInALoopWin(Rival rival) throws Exception {
    Lock lock = lock(mine());
    Lock theirs = lock(of(rival));
    lock.lock();
    List<Running<String>> storm = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      storm.add(
          start(
              () -> {
                while (!isTakenWithin(20, theirs)) {
                  assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
                theirs.unlock();
                return "won";
              }));
    }
    soon("they wait").until(() -> waiters(of(rival)) > 0);
    lock.unlock();
    for (Running<String> each : storm) {
      assertThat(each.result()).isEqualTo("won");
    }
  }
}
