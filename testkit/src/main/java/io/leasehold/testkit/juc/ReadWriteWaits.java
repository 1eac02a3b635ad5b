package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantReadWriteLock}: waiting, order, interrupts, and many threads. */
abstract class ReadWriteWaits extends Behaviours {
  private static final Duration A_WHILE = Duration.ofMillis(400);

  ReadWriteWaits(JucFixture fixture) {
    super(fixture);
  }

  @ParameterizedTest
  @EnumSource
  void aWriterWaitsForAllReaders(Rival rival) throws Exception {
    Lock read = readWriteLock(mine()).readLock();
    Lock write = readWriteLock(of(rival)).writeLock();
    CountDownLatch leave = new CountDownLatch(1);
    read.lock();
    Running<String> second = startReading(read, leave);
    Running<String> writer = startWaiting(() -> passThrough(write));
    read.unlock();
    assertThat(isFree(write)).as("one reader is left").isFalse();
    assertThat(writer.isDone()).isFalse();
    leave.countDown();
    assertThat(second.result()).isEqualTo("read");
    assertThat(writer.result()).isEqualTo("passed");
  }

  /** Reads until it may leave; returns when it is inside. */
  private static Running<String> startReading(Lock read, CountDownLatch leave) throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    Running<String> reader =
        start(
            () -> {
              read.lock();
              inside.countDown();
              assertThat(leave.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
              read.unlock();
              return "read";
            });
    assertThat(inside.await(LONG.toSeconds(), TimeUnit.SECONDS)).as("inside").isTrue();
    return reader;
  }

  /** Those that waited for a writer are inside together. */
  @ParameterizedTest
  @EnumSource
  void readersThatWaitGetInTogether(Rival rival) throws Exception {
    Lock write = readWriteLock(mine()).writeLock();
    write.lock();
    CountDownLatch place = new CountDownLatch(3);
    Callable<Boolean> theirs = meetInside(readWriteLock(of(rival)).readLock(), place);
    List<Running<Boolean>> readers = new ArrayList<>();
    readers.add(startWaiting(theirs));
    readers.add(startWaiting(theirs));
    readers.add(startWaiting(meetInside(readWriteLock(mine()).readLock(), place)));
    write.unlock();
    for (Running<Boolean> reader : readers) {
      assertThat(reader.result()).isTrue();
    }
  }

  private static Callable<Boolean> meetInside(Lock lock, CountDownLatch place) {
    return () -> {
      lock.lock();
      try {
        return meet(place);
      } finally {
        lock.unlock();
      }
    };
  }

  @Test
  void aLaterReaderIsServedAfterAWaitingWriter() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    List<String> order = new CopyOnWriteArrayList<>();
    lock.readLock().lock();
    Running<String> writer = startWaiting(() -> noted(lock.writeLock(), "writer", order));
    Running<String> reader = startWaiting(() -> noted(lock.readLock(), "reader", order));
    lock.readLock().unlock();
    assertThat(writer.result()).isEqualTo("writer");
    assertThat(reader.result()).isEqualTo("reader");
    assertThat(order).containsExactly("writer", "reader");
  }

  private static String noted(Lock lock, String what, List<String> order) {
    lock.lock();
    order.add(what);
    lock.unlock();
    return what;
  }

  /** Other than with {@code ReentrantReadWriteLock}, where a try for the read lock goes ahead. */
  @Test
  void aTryToReadDoesNotOvertakeAWaitingWriter() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.readLock().lock();
    Running<String> writer = startWaiting(() -> passThrough(lock.writeLock()));
    assertThat(isFree(lock.readLock())).isFalse();
    assertThat(elsewhere(() -> lock.readLock().tryLock(0, TimeUnit.SECONDS))).isFalse();
    lock.readLock().unlock();
    assertThat(writer.result()).isEqualTo("passed");
    becomesFree(lock.readLock());
  }

  /** It would wait for the writer, and the writer for it. */
  @ParameterizedTest
  @EnumSource
  void aReaderEntersAgainThoughAWriterWaits(Rival rival) throws Exception {
    Lock read = readWriteLock(mine()).readLock();
    read.lock();
    Lock write = readWriteLock(of(rival)).writeLock();
    Running<String> writer = startWaiting(() -> passThrough(write));
    read.lock();
    read.lockInterruptibly();
    assertThat(read.tryLock()).isTrue();
    assertThat(read.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    for (int holds = 5; holds > 0; holds--) {
      assertThat(writer.isDone()).isFalse();
      read.unlock();
    }
    assertThat(writer.result()).isEqualTo("passed");
  }

  @Test
  void aWriterThatGivesUpLetsTheReadersBehindItIn() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.readLock().lock();
    Running<String> hasty =
        startWaiting(
            () -> {
              lock.writeLock().lockInterruptibly();
              return "locked";
            });
    Running<String> reader = startWaiting(() -> passThrough(lock.readLock()));
    hasty.thread.interrupt();
    assertThatThrownBy(hasty::result).hasCauseInstanceOf(InterruptedException.class);
    assertThat(reader.result()).as("beside the first reader").isEqualTo("passed");
    lock.readLock().unlock();
  }

  @ParameterizedTest
  @EnumSource
  void timedTriesTimeOutAndNeverEarly(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    ReadWriteLock theirs = readWriteLock(of(rival));
    lock.writeLock().lock();
    timesOut(theirs.readLock());
    timesOut(theirs.writeLock());
    lock.writeLock().unlock();
    lock.readLock().lock();
    timesOut(theirs.writeLock());
    lock.readLock().unlock();
    becomesFree(theirs.writeLock());
  }

  private void timesOut(Lock lock) throws Exception {
    Duration time =
        elsewhere(
            () ->
                timed(
                    () ->
                        assertThat(lock.tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                            .isFalse()));
    assertThat(time).isGreaterThanOrEqualTo(SHORT);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsEachWait(Rival rival) throws Exception {
    Lock write = readWriteLock(mine()).writeLock();
    ReadWriteLock theirs = readWriteLock(of(rival));
    write.lock();
    for (Lock each : List.of(theirs.readLock(), theirs.writeLock())) {
      isEndedByAnInterrupt(each, false);
      isEndedByAnInterrupt(each, true);
    }
    assertThat(isFree(theirs.readLock())).isFalse();
    write.unlock();
    becomesFree(theirs.writeLock());
  }

  private void isEndedByAnInterrupt(Lock lock, boolean timed) throws Exception {
    Running<Boolean> waiter =
        startWaiting(
            () -> {
              assertThatThrownBy(
                      () -> {
                        if (timed) {
                          assertThat(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isFalse();
                        } else {
                          lock.lockInterruptibly();
                        }
                      })
                  .isInstanceOf(InterruptedException.class);
              assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
              return Thread.currentThread().isInterrupted();
            });
    waiter.thread.interrupt();
    assertThat(waiter.result()).as("flag").isFalse();
  }

  @Test
  void anInterruptBeforeIsThrownThoughTheyAreFree() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    elsewhere(
        () -> {
          for (Lock each : List.of(lock.readLock(), lock.writeLock())) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(each::lockInterruptibly).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> each.tryLock(0, TimeUnit.SECONDS))
                .isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).as("flag").isFalse();
          }
          return "";
        });
    becomesFree(lock.writeLock());
  }

  @ParameterizedTest
  @EnumSource
  void lockWaitsOnAndKeepsTheFlag(Rival rival) throws Exception {
    Lock write = readWriteLock(mine()).writeLock();
    ReadWriteLock theirs = readWriteLock(of(rival));
    for (Lock each : List.of(theirs.readLock(), theirs.writeLock())) {
      write.lock();
      Running<Boolean> waiter =
          startWaiting(
              () -> {
                each.lock();
                each.unlock();
                return Thread.currentThread().isInterrupted();
              });
      waiter.thread.interrupt();
      assertThat(isFree(theirs.readLock())).isFalse();
      write.unlock();
      assertThat(waiter.result()).as("flag").isTrue();
    }
  }

  /** No writer beside another thread, no update lost, and every thread gets a turn. */
  @Test
  void readersAndWritersOfTwoClientsAllHaveTurns() throws Exception {
    AtomicInteger readers = new AtomicInteger();
    AtomicInteger writers = new AtomicInteger();
    Until time = runningFor(A_WHILE);
    List<Running<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ReadWriteLock lock = readWriteLock(of(i % 2 == 0 ? Rival.SAME_CLIENT : Rival.OTHER_CLIENT));
      boolean writes = i % 4 < 2;
      threads.add(
          start(
              () -> {
                int turns = 0;
                do {
                  Lock mine = writes ? lock.writeLock() : lock.readLock();
                  mine.lock();
                  int inside = (writes ? writers : readers).incrementAndGet();
                  assertThat(writes ? inside : 1).isEqualTo(1);
                  assertThat((writes ? readers : writers).get()).as("of the others").isZero();
                  (writes ? writers : readers).decrementAndGet();
                  mine.unlock();
                  turns++;
                } while (!time.isOver());
                return turns;
              }));
    }
    for (Running<Integer> thread : threads) {
      assertThat(thread.result()).isPositive();
    }
  }
}
