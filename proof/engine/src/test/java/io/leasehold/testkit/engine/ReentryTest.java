package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static io.leasehold.testkit.engine.Engines.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedLockView;
import io.leasehold.DistributedReadWriteLockView;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockTimeoutException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Scopes of {@code withLock} and {@code asLock()}: re-entrant per thread; R19: without any request.
 */
@Timeout(90)
class ReentryTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void anInnerScopeSharesTheLeaseAndAsksNobody(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    DistributedLock lock = engines.client(factory, b -> b).lock("n");
    lock.withLock(
        outer -> {
          int before = factory.count();
          lock.withLock(
              Duration.ofSeconds(1),
              inner -> {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
                Lock view = lock.asLock();
                view.lock();
                assertThat(view.tryLock()).isTrue();
                assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
                view.lockInterruptibly();
                for (int i = 0; i < 4; i++) {
                  view.unlock();
                }
                assertThat(inner.isHeld()).isTrue();
                assertThat(inner.remaining()).isPositive();
              });
          assertThat(outer.isHeld()).isTrue();
          assertThat(factory.count()).as("requests while inside").isEqualTo(before);
        });
    assertThat(factory.count("attempt")).isEqualTo(1);
    assertThat(factory.count("release")).isEqualTo(1);
    assertThat(factory.count()).as("requests of an uncontended pair").isEqualTo(2);
  }

  @Test
  void twoViewsOfOneNameShareTheirHolds() {
    Engine one = engines.client();
    one.lock("n").asLock().lock();
    one.lock("n").with(LockOptions.defaults().withMaxHold(Duration.ofHours(1))).asLock().lock();
    one.lock("n").asLock().unlock();
    assertThat(one.ledger().holds()).isEqualTo(1);
    one.lock("n").asLock().unlock();
    assertThat(one.ledger().holds()).isZero();
  }

  @Test
  void aResultAndAnExceptionOfTheWorkComeThrough() throws Exception {
    DistributedLock lock = engines.client().lock("n");
    assertThat(lock.callWithLock(Lease::name)).isEqualTo("n");
    assertThat(lock.<String, RuntimeException>callWithLock(Duration.ofSeconds(1), Lease::name))
        .isEqualTo("n");
    assertThatThrownBy(
            () ->
                lock.withLock(
                    lease -> {
                      throw new IOException("of the work");
                    }))
        .isExactlyInstanceOf(IOException.class);
    assertThat(lock.tryAcquire()).hasValueSatisfying(Lease::release);
  }

  @ParameterizedTest
  @EnumSource
  void aTryForAHeldLockSaysNo(Calls calls) throws Exception {
    engines.serve(calls);
    Lock lock = engines.client().lock("n").asLock();
    lock.lock();
    assertThat(start(lock::tryLock).result()).isFalse();
    Running<Duration> timedTry =
        start(() -> timed(() -> assertThat(lock.tryLock(150, TimeUnit.MILLISECONDS)).isFalse()));
    assertThat(timedTry.result()).as("never early").isGreaterThanOrEqualTo(Duration.ofMillis(150));
    assertThat(start(() -> lock.tryLock(-1, TimeUnit.SECONDS)).result()).isFalse();
    lock.unlock();
  }

  @Test
  void onlyTheThreadThatLockedMayUnlock() throws Exception {
    Lock lock = engines.client().lock("n").asLock();
    assertThat(thrownBy(() -> run(lock::unlock))).isEqualTo("IllegalMonitorStateException");
    lock.lock();
    assertThat(start(() -> thrownBy(() -> run(lock::unlock))).result())
        .isEqualTo("IllegalMonitorStateException");
    lock.unlock();
    assertThat(thrownBy(() -> run(lock::unlock))).isEqualTo("IllegalMonitorStateException");
  }

  private static String run(Runnable action) {
    action.run();
    return "";
  }

  @Test
  void aNonReentrantLockRefusesItsOwnThreadAtOnce() throws Exception {
    DistributedLock lock = engines.client().lock("n").with(LockOptions.defaults().nonReentrant());
    lock.withLock(
        lease -> {
          assertThatThrownBy(() -> lock.withLock(inner -> {}))
              .isInstanceOf(IllegalMonitorStateException.class);
          assertThatThrownBy(lock.asLock()::lock).isInstanceOf(IllegalMonitorStateException.class);
          assertThat(lock.asLock().tryLock()).isFalse();
          assertThat(lock.asLock().tryLock(1, TimeUnit.SECONDS)).isFalse();
        });
    assertThat(lock.tryAcquire()).hasValueSatisfying(Lease::release);
  }

  @Test
  void hasNoConditions() {
    Lock lock = engines.client().lock("n").asLock();
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aTimedScopeThatIsNotEnteredDoesNothing() throws Exception {
    DistributedLock lock = engines.client().lock("n");
    try (Lease held = lock.acquire()) {
      assertThatThrownBy(() -> lock.withLock(Duration.ofMillis(500), lease -> held.release()))
          .isInstanceOf(LockTimeoutException.class);
      assertThat(held.isHeld()).isTrue();
    }
  }

  /** After a loss, entering again and leaving say so, and the thread is out. */
  @Test
  void aLossWhileInsideIsToldOnEntryAndOnLeaving() throws Exception {
    Engine one = engines.client(b -> b.ttl(Duration.ofSeconds(1)));
    DistributedLock lock = one.lock("n");
    assertThatThrownBy(
            () ->
                lock.withLock(
                    lease -> {
                      lock.asLock().lock();
                      breakLease(lease);
                      org.awaitility.Awaitility.await().until(() -> !lease.isHeld());
                      assertThatThrownBy(() -> lock.withLock(inner -> {}))
                          .isInstanceOf(LeaseLostException.class);
                      assertThatThrownBy(lock.asLock()::lock)
                          .isInstanceOf(LeaseLostException.class);
                      assertThat(thrownBy(() -> run(lock.asLock()::unlock)))
                          .isIn("", "LeaseLostException");
                    }))
        .isInstanceOf(LeaseLostException.class)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("'n'");
    assertThat(one.ledger().holds()).isZero();
    lock.withLock(lease -> assertThat(lease.isHeld()).isTrue());
  }

  private void breakLease(Lease lease) {
    assertThat(engines.server().breakLease(lease.name(), FenceNumber.number(lease.fencingToken())))
        .isTrue();
  }

  /** What the work threw goes before the loss. */
  @Test
  void theExceptionOfTheWorkGoesFirst() {
    Engine one = engines.client(b -> b.ttl(Duration.ofSeconds(1)));
    assertThatThrownBy(
            () ->
                one.lock("n")
                    .withLock(
                        lease -> {
                          breakLease(lease);
                          org.awaitility.Awaitility.await().until(() -> !lease.isHeld());
                          throw new IOException("of the work");
                        }))
        .isExactlyInstanceOf(IOException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
  }

  @Test
  void manyThreadsLoseNoUpdate() throws Exception {
    DistributedLock one = engines.client().lock("n");
    DistributedLock two = engines.client().lock("n");
    int[] counter = new int[1];
    java.util.List<Running<String>> workers = new java.util.ArrayList<>();
    for (int t = 0; t < 8; t++) {
      DistributedLock lock = t % 2 == 0 ? one : two;
      workers.add(
          start(
              () -> {
                for (int i = 0; i < 200; i++) {
                  lock.withLock(lease -> lock.withLock(inner -> counter[0]++));
                }
                return "";
              }));
    }
    for (Running<String> worker : workers) {
      worker.result();
    }
    assertThat(counter[0]).isEqualTo(1600);
  }

  /** What users of other libraries write in their {@code finally}. */
  @ParameterizedTest
  @EnumSource
  void aViewTellsItsHoldsAndItsLease(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    DistributedLockView view = one.lock("n").asLock();
    assertThat(view.isHeldByCurrentThread()).isFalse();
    assertThat(view.getHoldCount()).isZero();
    assertThatThrownBy(view::lease).isInstanceOf(IllegalMonitorStateException.class);
    view.lock();
    view.lock();
    assertThat(view.isHeldByCurrentThread()).isTrue();
    assertThat(view.getHoldCount()).isEqualTo(2);
    assertThat(one.lock("n").asLock().lease()).isSameAs(view.lease());
    assertThat(start(view::isHeldByCurrentThread).result()).as("by another thread").isFalse();
    assertThat(start(view::getHoldCount).result()).isZero();
    view.unlock();
    assertThat(view.isHeldByCurrentThread()).isTrue();
    view.unlock();
    assertThat(view.isHeldByCurrentThread()).isFalse();
  }

  @Test
  void aViewOfALostLeaseIsNotHeldThoughItCounts() throws Exception {
    Engine one = engines.client(b -> b.ttl(Duration.ofSeconds(1)));
    DistributedLockView view = one.lock("n").asLock();
    view.lock();
    engines.client().lock("n").breakLease(view.lease().fencingToken());
    Lease lease = view.lease();
    await().until(() -> !lease.isHeld());
    assertThat(view.isHeldByCurrentThread()).isFalse();
    assertThat(view.getHoldCount()).isEqualTo(1);
    assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
    assertThat(view.getHoldCount()).isZero();
  }

  @Test
  void theViewsOfBothLocksKnowWhichOneIsHeld() {
    DistributedReadWriteLockView views = engines.client().readWriteLock("n").asReadWriteLock();
    views.writeLock().lock();
    views.readLock().lock();
    views.writeLock().unlock();
    assertThat(views.writeLock().isHeldByCurrentThread()).isFalse();
    assertThat(views.readLock().isHeldByCurrentThread()).isTrue();
    assertThat(views.readLock().getHoldCount()).isEqualTo(1);
    views.readLock().unlock();
  }

  @ParameterizedTest
  @EnumSource
  void aTriedScopeSaysWhetherTheWorkWasDone(Calls calls) throws Exception {
    engines.serve(calls);
    DistributedLock lock = engines.client().lock("n");
    DistributedLock other = engines.client().lock("n");
    boolean done =
        lock.tryWithLock(
            lease -> {
              assertThat(lock.tryWithLock(again -> assertThat(again).isSameAs(lease))).isTrue();
              assertThat(other.tryWithLock(never -> notReached())).isFalse();
              assertThat(other.tryWithLock(Duration.ofMillis(500), never -> notReached()))
                  .isFalse();
            });
    assertThat(done).isTrue();
    assertThat(other.tryWithLock(Duration.ofSeconds(5), lease -> {})).isTrue();
    assertThatThrownBy(
            () ->
                lock.tryWithLock(
                    lease -> {
                      throw new IOException("of the work");
                    }))
        .isInstanceOf(IOException.class);
  }

  private static void notReached() {
    throw new AssertionError("the work was begun");
  }

  @Test
  void whetherItIsLockedIsAskedOfTheStore() throws Exception {
    DistributedLock lock = engines.client().lock("n");
    DistributedLock other = engines.client().lock("n");
    assertThat(other.isLocked()).isFalse();
    Lease lease = lock.acquire();
    assertThat(other.isLocked()).isTrue();
    lease.release();
    assertThat(other.isLocked()).isFalse();
  }
}
