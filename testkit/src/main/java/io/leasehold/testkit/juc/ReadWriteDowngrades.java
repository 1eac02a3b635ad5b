package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedReadWriteLock;
import io.leasehold.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantReadWriteLock}: a writer that reads, and goes on reading. */
abstract class ReadWriteDowngrades extends Behaviours {
  ReadWriteDowngrades(JucFixture fixture) {
    super(fixture);
  }

  /** Enters the lock in every way and leaves it as often. */
  private static void entersAgain(Lock lock) throws InterruptedException {
    assertThat(lock.tryLock()).isTrue();
    lock.lock();
    lock.lockInterruptibly();
    assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
    assertThat(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    for (int holds = 5; holds > 0; holds--) {
      lock.unlock();
    }
  }

  @Test
  void aWriterMayReadAndWriteAgain() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.writeLock().lock();
    entersAgain(lock.readLock());
    entersAgain(lock.writeLock());
    lock.readLock().lock();
    entersAgain(lock.writeLock());
    lock.readLock().unlock();
    assertThat(isFree(lock.readLock())).isFalse();
    lock.writeLock().unlock();
    becomesFree(lock.writeLock());
  }

  @ParameterizedTest
  @EnumSource
  void aWriterMayReadThoughReadersWait(Rival rival) throws Exception {
    mayGoOnThough(rival, readWriteLock(of(rival)).readLock());
  }

  @ParameterizedTest
  @EnumSource
  void aWriterMayReadThoughWritersWait(Rival rival) throws Exception {
    mayGoOnThough(rival, readWriteLock(of(rival)).writeLock());
  }

  private void mayGoOnThough(Rival rival, Lock theirs) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.writeLock().lock();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiters.add(startWaiting(() -> passThrough(theirs)));
    }
    entersAgain(lock.readLock());
    entersAgain(lock.writeLock());
    assertThat(waiters(of(rival))).as("still waiting").isEqualTo(2);
    lock.writeLock().unlock();
    for (Running<String> waiter : waiters) {
      assertThat(waiter.result()).isEqualTo("passed");
    }
  }

  /**
   * Other than with {@code ReentrantReadWriteLock}, where other readers get in at once: here the
   * exclusive lease goes on until the reader has left too.
   */
  @ParameterizedTest
  @EnumSource
  void aDowngradeKeepsTheExclusiveLease(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    ReadWriteLock theirs = readWriteLock(of(rival));
    lock.writeLock().lock();
    lock.readLock().lock();
    lock.readLock().lock();
    lock.writeLock().unlock();
    assertThat(isFree(theirs.writeLock())).isFalse();
    assertThat(isFree(theirs.readLock())).isFalse();
    lock.readLock().unlock();
    assertThat(isFree(theirs.readLock())).isFalse();
    lock.readLock().unlock();
    becomesFree(theirs.readLock());
    becomesFree(theirs.writeLock());
  }

  @Test
  void aDowngradeKeepsTheToken() throws Exception {
    DistributedReadWriteLock lock = mine().readWriteLock(NAME).with(fixture.options());
    lock.writeLock().asLock().lock();
    long written = tokenInside(lock);
    lock.readLock().asLock().lock();
    lock.writeLock().asLock().unlock();
    assertThat(tokenInside(lock)).isEqualTo(written);
    lock.readLock().asLock().unlock();
    assertThat(tokenInside(lock)).as("of a new lease").isGreaterThan(written);
  }

  private static long tokenInside(DistributedReadWriteLock lock) throws InterruptedException {
    return lock.readLock().callWithLock(Lease::fencingToken);
  }

  /** What is left is a read lock as any: entered again, and not upgraded. */
  @Test
  void afterADowngradeItIsAReadLock() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.writeLock().lock();
    lock.readLock().lock();
    lock.writeLock().unlock();
    entersAgain(lock.readLock());
    assertThatThrownBy(lock.writeLock()::lock).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock.writeLock().tryLock()).isFalse();
    assertThatThrownBy(lock.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
    lock.readLock().unlock();
    becomesFree(lock.writeLock());
  }

  @ParameterizedTest
  @EnumSource
  void thoseThatWaitGetInAfterADowngrade(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    ReadWriteLock theirs = readWriteLock(of(rival));
    lock.writeLock().lock();
    Running<String> reader = startWaiting(() -> passThrough(theirs.readLock()));
    Running<String> writer = startWaiting(() -> passThrough(theirs.writeLock()));
    lock.readLock().lock();
    lock.writeLock().unlock();
    assertThat(waiters(of(rival))).as("still waiting").isEqualTo(2);
    lock.readLock().unlock();
    assertThat(reader.result()).isEqualTo("passed");
    assertThat(writer.result()).isEqualTo("passed");
  }

  /** The two may be left in any order; the lease ends with the last. */
  @Test
  void aReaderInsideAWriterMayLeaveInAnyOrder() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    List<List<Lock>> orders =
        List.of(
            List.of(lock.readLock(), lock.writeLock(), lock.writeLock()),
            List.of(lock.writeLock(), lock.readLock(), lock.writeLock()),
            List.of(lock.writeLock(), lock.writeLock(), lock.readLock()));
    for (List<Lock> order : orders) {
      lock.writeLock().lock();
      lock.readLock().lock();
      lock.writeLock().lock();
      for (Lock each : order) {
        assertThat(isFree(lock.readLock())).isFalse();
        each.unlock();
      }
      becomesFree(lock.writeLock());
    }
  }
}
