package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ReentrantReadWriteLock}: who may be inside beside whom, and who may leave. */
abstract class ReadWriteHolds extends Behaviours {
  private static final int MANY = 1_000;

  ReadWriteHolds(JucFixture fixture) {
    super(fixture);
  }

  private static void refusesUnlock(Lock lock) {
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("'" + NAME + "'");
  }

  @ParameterizedTest
  @EnumSource
  void bothAreTakenAndFreed(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    ReadWriteLock theirs = readWriteLock(of(rival));
    lock.writeLock().lock();
    assertThat(isFree(theirs.writeLock())).isFalse();
    lock.writeLock().unlock();
    becomesFree(theirs.writeLock());
    lock.readLock().lock();
    assertThat(isFree(theirs.writeLock())).isFalse();
    lock.readLock().unlock();
    becomesFree(theirs.writeLock());
    becomesFree(theirs.readLock());
  }

  @ParameterizedTest
  @EnumSource
  void readersShareIt(Rival rival) throws Exception {
    Lock read = readWriteLock(mine()).readLock();
    Lock theirs = readWriteLock(of(rival)).readLock();
    read.lock();
    elsewhere(
        () -> {
          assertThat(theirs.tryLock()).isTrue();
          theirs.unlock();
          assertThat(theirs.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
          theirs.unlock();
          assertThat(theirs.tryLock(0, TimeUnit.SECONDS)).isTrue();
          theirs.unlock();
          theirs.lock();
          theirs.unlock();
          theirs.lockInterruptibly();
          theirs.unlock();
          return "";
        });
    read.unlock();
  }

  @ParameterizedTest
  @EnumSource
  void aReaderKeepsWritersOut(Rival rival) throws Exception {
    Lock read = readWriteLock(mine()).readLock();
    read.lock();
    isHeldAgainst(readWriteLock(of(rival)).writeLock());
    read.unlock();
    becomesFree(readWriteLock(of(rival)).writeLock());
  }

  @ParameterizedTest
  @EnumSource
  void aWriterKeepsReadersOut(Rival rival) throws Exception {
    Lock write = readWriteLock(mine()).writeLock();
    write.lock();
    isHeldAgainst(readWriteLock(of(rival)).readLock());
    write.unlock();
    becomesFree(readWriteLock(of(rival)).readLock());
  }

  @ParameterizedTest
  @EnumSource
  void aWriterKeepsWritersOut(Rival rival) throws Exception {
    Lock write = readWriteLock(mine()).writeLock();
    write.lock();
    isHeldAgainst(readWriteLock(of(rival)).writeLock());
    write.unlock();
    becomesFree(readWriteLock(of(rival)).writeLock());
  }

  private static void isHeldAgainst(Lock theirs) throws Exception {
    elsewhere(
        () -> {
          assertThat(theirs.tryLock()).isFalse();
          assertThat(theirs.tryLock(0, TimeUnit.SECONDS)).isFalse();
          assertThat(theirs.tryLock(-1, TimeUnit.SECONDS)).isFalse();
          refusesUnlock(theirs);
          return "";
        });
  }

  @ParameterizedTest
  @EnumSource
  void asManyUnlocksAsLocksFreeEach(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    Lock theirs = readWriteLock(of(rival)).writeLock();
    for (Lock each : List.of(lock.writeLock(), lock.readLock())) {
      each.lock();
      each.lockInterruptibly();
      assertThat(each.tryLock()).isTrue();
      assertThat(each.tryLock(0, TimeUnit.SECONDS)).isTrue();
      assertThat(each.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      for (int holds = 5; holds > 0; holds--) {
        assertThat(isFree(theirs)).as("while held %d times", holds).isFalse();
        each.unlock();
      }
      becomesFree(theirs);
      refusesUnlock(each);
    }
  }

  @Test
  void bothMayBeHeldManyTimes() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    for (Lock each : List.of(lock.writeLock(), lock.readLock())) {
      for (int i = 0; i < MANY; i++) {
        each.lock();
      }
      for (int i = 0; i < MANY; i++) {
        assertThat(i % 100 == 0 && isFree(lock.writeLock())).isFalse();
        each.unlock();
      }
      becomesFree(lock.writeLock());
    }
  }

  /** Each reader leaves for itself alone. */
  @ParameterizedTest
  @EnumSource
  void readHoldsAreCountedForEachThread(Rival rival) throws Exception {
    Lock read = readWriteLock(mine()).readLock();
    Lock theirs = readWriteLock(of(rival)).readLock();
    Lock write = readWriteLock(of(rival)).writeLock();
    read.lock();
    read.lock();
    elsewhere(
        () -> {
          refusesUnlock(theirs);
          theirs.lock();
          theirs.unlock();
          refusesUnlock(theirs);
          return "";
        });
    assertThat(isFree(write)).isFalse();
    read.unlock();
    assertThat(isFree(write)).isFalse();
    read.unlock();
    refusesUnlock(read);
    becomesFree(write);
  }

  @Test
  void unlockOfAFreeLockIsRefused() {
    refusesUnlock(readWriteLock(mine()).readLock());
    refusesUnlock(readWriteLock(mine()).writeLock());
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheThreadThatLockedMayUnlock(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    ReadWriteLock theirs = readWriteLock(of(rival));
    for (Lock each : List.of(lock.writeLock(), lock.readLock())) {
      each.lock();
      elsewhere(
          () -> {
            refusesUnlock(theirs.readLock());
            refusesUnlock(theirs.writeLock());
            return "";
          });
      assertThat(isFree(theirs.writeLock())).isFalse();
      each.unlock();
    }
  }

  @Test
  void neitherUnlocksTheOther() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.readLock().lock();
    refusesUnlock(lock.writeLock());
    lock.readLock().unlock();
    lock.writeLock().lock();
    refusesUnlock(lock.readLock());
    assertThat(isFree(lock.readLock())).isFalse();
    lock.writeLock().unlock();
  }

  /** A reader that wanted to write would wait for itself. */
  @Test
  void anUpgradeIsRefused() throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.readLock().lock();
    for (Lock write : List.of(lock.writeLock(), lock(mine()))) {
      assertThatThrownBy(write::lock).isInstanceOf(IllegalMonitorStateException.class);
      assertThatThrownBy(write::lockInterruptibly).isInstanceOf(IllegalMonitorStateException.class);
      assertThat(write.tryLock()).isFalse();
      assertThat(timed(() -> assertThat(write.tryLock(1, TimeUnit.HOURS)).isFalse()))
          .as("at once")
          .isLessThan(LONG);
      refusesUnlock(write);
    }
    becomesFree(lock.readLock());
    assertThat(isFree(lock.writeLock())).as("for other writers").isFalse();
    lock.readLock().unlock();
    assertThat(lock.writeLock().tryLock()).as("once it has left").isTrue();
    lock.writeLock().unlock();
  }

  @Test
  void viewsOfOneNameShareTheirHolds() throws Exception {
    readWriteLock(mine()).readLock().lock();
    mine().readWriteLock(NAME).readLock().asLock().unlock();
    becomesFree(lock(mine()));
    lock(mine()).lock();
    readWriteLock(mine()).writeLock().unlock();
    becomesFree(lock(mine()));
  }

  @Test
  void nonReentrantLocksRefuseTheirOwnThread() throws Exception {
    ReadWriteLock lock =
        mine().readWriteLock(NAME).with(fixture.options().nonReentrant()).asReadWriteLock();
    for (Lock each : List.of(lock.writeLock(), lock.readLock())) {
      each.lock();
      assertThatThrownBy(each::lock).isInstanceOf(IllegalMonitorStateException.class);
      assertThat(each.tryLock()).isFalse();
      each.unlock();
      becomesFree(lock.writeLock());
    }
  }

  @Test
  void conditionsAreRefused() {
    ReadWriteLock lock = readWriteLock(mine());
    assertThatThrownBy(lock.readLock()::newCondition)
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(lock.writeLock()::newCondition)
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void viewsTellTheirName() {
    assertThat(mine().readWriteLock(NAME)).asString().contains(NAME);
    assertThat(readWriteLock(mine()).readLock()).asString().contains(NAME);
    assertThat(readWriteLock(mine()).writeLock()).asString().contains(NAME);
  }
}
