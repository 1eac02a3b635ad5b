package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code Semaphore}: how many permits are out, who gives them back, and of what kind it is. */
abstract class SemaphorePermits extends Behaviours {
  SemaphorePermits(JucFixture fixture) {
    super(fixture);
  }

  /** How many permits can still be taken, counted by taking them. */
  private static int left(DistributedSemaphore semaphore) {
    List<Lease> taken = new ArrayList<>();
    Optional<Lease> next = semaphore.permits(1).tryAcquire();
    while (next.isPresent()) {
      taken.add(next.get());
      next = semaphore.permits(1).tryAcquire();
    }
    taken.forEach(Lease::release);
    return taken.size();
  }

  @Test
  void itsSizeIsAtLeastOne() {
    for (int size : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> mine().semaphore(NAME, size))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + NAME + "'");
    }
    assertThat(semaphore(mine(), 1).size()).isEqualTo(1);
    assertThat(semaphore(mine(), Integer.MAX_VALUE).size()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void itsPermitsAreFromOneToItsSize() {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    for (int permits : new int[] {0, -1, 4, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> semaphore.permits(permits))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + NAME + "'");
    }
    assertThat(semaphore.permits()).isEqualTo(1);
    assertThat(semaphore.permits(3).permits()).isEqualTo(3);
    assertThat(semaphore.permits(3).with(fixture.options()).permits()).isEqualTo(3);
    assertThat(semaphore.permits(3).with(fixture.options()).size()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void triesTakeUntilNoneIsLeft(Rival rival) {
    DistributedSemaphore semaphore = semaphore(mine(), 2);
    DistributedSemaphore theirs = semaphore(of(rival), 2);
    Lease first = semaphore.tryAcquire().orElseThrow();
    Lease second = theirs.tryAcquire().orElseThrow();
    assertThat(semaphore.tryAcquire()).isEmpty();
    assertThat(theirs.tryAcquire()).isEmpty();
    first.release();
    assertThat(left(theirs)).isEqualTo(1);
    second.release();
    assertThat(left(semaphore)).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void allAreTakenOrNone(Rival rival) throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    DistributedSemaphore theirs = semaphore(of(rival), 3);
    Lease two = semaphore.permits(2).tryAcquire().orElseThrow();
    assertThat(theirs.permits(2).tryAcquire()).isEmpty();
    assertThat(theirs.permits(3).tryAcquire(Duration.ZERO)).isEmpty();
    assertThat(left(theirs)).as("after tries in vain").isEqualTo(1);
    two.release();
    Lease three = theirs.permits(3).tryAcquire().orElseThrow();
    assertThat(left(semaphore)).isZero();
    three.release();
    assertThat(left(semaphore)).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void everyWayTakesWhatIsFree(Way way) throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 5);
    for (int permits = 1; permits <= 5; permits++) {
      Lease lease = way.take(semaphore.permits(permits));
      assertThat(left(semaphore)).isEqualTo(5 - permits);
      lease.release();
      assertThat(left(semaphore)).isEqualTo(5);
    }
  }

  @Test
  void takesWithoutAThreadWhatIsFree() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    Lease lease = Way.takeAsync(semaphore.permits(2));
    assertThat(left(semaphore)).isEqualTo(1);
    lease.release();
    assertThat(left(semaphore)).isEqualTo(3);
  }

  @Test
  void anyThreadMayGiveThemBack() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 3);
    Lease two = semaphore.permits(2).acquire();
    assertThat(elsewhere(two::isHeld)).isTrue();
    elsewhere(
        () -> {
          two.release();
          return "";
        });
    assertThat(two.isHeld()).isFalse();
    assertThat(left(semaphore)).isEqualTo(3);
  }

  /** There are never more than at first. */
  @Test
  void aSecondReleaseAddsNothing() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 2);
    Lease first = semaphore.acquire();
    Lease second = semaphore.acquire();
    first.release();
    first.release();
    first.close();
    assertThat(left(semaphore)).isEqualTo(1);
    second.release();
    second.close();
    assertThat(left(semaphore)).isEqualTo(2);
  }

  /** A thread may take more than one, and waits for itself if there is none. */
  @Test
  void aScopeInAScopeTakesPermitsOfItsOwn() throws Exception {
    DistributedSemaphore semaphore = semaphore(mine(), 2);
    semaphore.withLock(
        outer -> {
          assertThat(left(semaphore)).isEqualTo(1);
          semaphore.withLock(
              inner -> {
                assertThat(inner.leaseId()).isNotEqualTo(outer.leaseId());
                assertThat(left(semaphore)).isZero();
                assertThatThrownBy(() -> semaphore.withLock(SHORT, third -> {}))
                    .isInstanceOf(LockTimeoutException.class);
              });
          soon("the waiter is gone").until(() -> left(semaphore) == 1);
        });
    assertThat(left(semaphore)).isEqualTo(2);
  }

  @Test
  void itIsNoLockOfAThread() {
    assertThatThrownBy(semaphore(mine(), 2)::asLock)
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void itTellsItsNameAndSize() {
    assertThat(semaphore(mine(), 7).permits(3)).asString().contains(NAME, "3", "7");
  }

  @ParameterizedTest
  @EnumSource
  void anotherSizeIsRefusedWhileOneIsHeld(Rival rival) throws Exception {
    Lease held = semaphore(mine(), 3).acquire();
    for (int size : new int[] {1, 2, 4}) {
      refusesKind(semaphore(of(rival), size), rival);
    }
    refusesKind(of(rival).lock(NAME).with(fixture.options()), rival);
    refusesKind(of(rival).readWriteLock(NAME).with(fixture.options()).readLock(), rival);
    assertThat(left(semaphore(of(rival), 3))).as("nothing was changed").isEqualTo(2);
    held.release();
    assertThat(left(semaphore(of(rival), 4))).as("once it is free").isEqualTo(4);
  }

  private static void refusesKind(io.leasehold.DistributedLock lock, Rival rival) {
    assertThatThrownBy(lock::tryAcquire)
        .as("a try by %s", rival)
        .isInstanceOf(LockKindException.class)
        .hasMessageContaining("'" + NAME + "'");
    assertThatThrownBy(lock::acquire)
        .as("a wait by %s", rival)
        .isInstanceOf(LockKindException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aLockInUseIsNoSemaphore(Rival rival) throws Exception {
    ReadWriteLock lock = readWriteLock(mine());
    lock.writeLock().lock();
    refusesKind(semaphore(of(rival), 1), rival);
    lock.writeLock().unlock();
    lock.readLock().lock();
    refusesKind(semaphore(of(rival), 2), rival);
    lock.readLock().unlock();
    assertThat(left(semaphore(of(rival), 2))).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void aClosedClientGivesItsPermitsBack(Rival rival) throws Exception {
    LockClient closing = of(Rival.OTHER_CLIENT);
    Lease kept = semaphore(closing, 3).permits(2).acquire();
    assertThat(left(semaphore(of(rival), 3))).isEqualTo(1);
    closing.close();
    assertThat(left(semaphore(mine(), 3))).isEqualTo(3);
    assertThat(kept.isHeld()).isFalse();
  }
}
