package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.ClientClosedException;
import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.MissingTraitException;
import io.leasehold.Trait;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;

/** R14, R15 and R19: how a client ends, what it refuses, and what costs nothing. */
public interface ClientRules {
  /** Of ten minutes. */
  @ContractTest
  @DisplayName("R14 close releases what is held, and nothing else")
  default void R14_closeReleasesWhatIsHeld(Testbed bed) throws Exception {
    LockClient closes = bed.open();
    Lease first = bed.take(closes);
    Lease second = bed.take(closes.lock(bed.name("b")));
    Lease others = bed.take(bed.one().lock(bed.name("c")));
    closes.close();
    assertThat(closes.isClosed()).isTrue();
    assertThat(first.isHeld()).isFalse();
    assertThat(second.isHeld()).isFalse();
    bed.requireFree();
    bed.requireFree(bed.name("b"));
    bed.requireHeld(others);
    assertThat(bed.two().lock(bed.name("c")).tryAcquire()).isEmpty();
    others.release();
  }

  /** Blocking and not. */
  @ContractTest
  @DisplayName("R14 close ends every wait, without a trace")
  default void R14_closeEndsEveryWait(Testbed bed) throws Exception {
    LockClient closes = bed.open();
    Lease held = bed.take(bed.one());
    Caller<Lease> waiter = bed.start(() -> bed.lock(closes).acquire(Testbed.LONG)).waiting();
    Caller<Lease> another = bed.start(() -> bed.lock(closes).acquire(Testbed.LONG)).waiting();
    closes.close();
    assertThatThrownBy(waiter::result).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(another::result).isInstanceOf(ClientClosedException.class);
    held.release();
    bed.requireFree();
  }

  /** Nothing is left of it but what others started. */
  @ContractTest
  @DisplayName("R14 close ends every thread of the client")
  default void R14_closeEndsEveryThread(Testbed bed) throws Exception {
    ThreadGroup group = new ThreadGroup(bed.threads(), "of one client");
    Caller<LockClient> used =
        new Caller<>(
            group,
            bed.patience(),
            () -> {
              LockClient client = bed.open();
              Lease lease = bed.take(client);
              Testbed.giveUp(bed.lock(client), Duration.ofMillis(20));
              lease.release();
              client.close();
              return client;
            });
    assertThat(used.result().isClosed()).isTrue();
    bed.await("its threads to end", () -> group.activeCount() == 0);
  }

  /** A second time it does nothing; what comes after it is refused. */
  @ContractTest
  @DisplayName("R14 close is idempotent, and a closed client refuses")
  default void R14_closeIsIdempotent(Testbed bed) {
    LockClient closes = bed.open();
    DistributedLock lock = bed.lock(closes);
    closes.close();
    closes.close();
    assertThatThrownBy(lock::tryAcquire).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> lock.acquire(Testbed.LONG)).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> bed.lock(closes)).isInstanceOf(ClientClosedException.class);
  }

  /** It holds one lock and waits for another. */
  @ContractTest
  @DisplayName("R14 close returns in bounded time, and throws nothing, though the store is silent")
  default void R14_closeIsBoundedThoughTheStoreIsSilent(Testbed bed) throws Exception {
    LockClient closes = bed.open(s -> s.withCloseTimeout(Duration.ofSeconds(1)));
    Lease lease = bed.take(closes.lock(bed.name("held")));
    Lease other = bed.take(bed.one());
    Caller<Lease> waiter = bed.start(() -> bed.lock(closes).acquire(Testbed.LONG)).waiting();
    bed.crash(closes);
    Caller<String> closing =
        bed.start(
            () -> {
              closes.close();
              return "closed";
            });
    assertThat(closing.result()).isEqualTo("closed");
    assertThat(lease.isHeld()).isFalse();
    assertThatThrownBy(waiter::result).isInstanceOf(ClientClosedException.class);
    other.release();
  }

  // ---- R15

  /** With a message that says what to write. */
  @ContractTest
  @DisplayName("R15 a trait that the store lacks is refused when the client is built")
  default void R15_aMissingTraitIsRefused(Testbed bed) throws Exception {
    Optional<Traits> traits = bed.fixture().traits();
    Assumptions.assumeTrue(traits.isPresent(), "the store's traits are not known");
    for (Trait trait : Trait.values()) {
      if (traits.orElseThrow().has().contains(trait)) {
        bed.take(bed.open(s -> s.require(trait))).release();
      } else {
        assertThatThrownBy(() -> bed.open(s -> s.require(trait)))
            .isInstanceOfSatisfying(
                MissingTraitException.class, e -> assertThat(e.trait()).isEqualTo(trait))
            .hasMessageContaining(trait == Trait.FENCING ? "accept" : trait.name());
      }
    }
    bed.requireFree();
  }

  /** The call that asks for one is refused, before anything is asked of the store. */
  @ContractTest
  @DisplayName("R15 read locks and semaphores are refused where the store has none")
  default void R15_aModeThatTheStoreLacksIsRefused(Testbed bed) throws Exception {
    Optional<Traits> traits = bed.fixture().traits();
    Assumptions.assumeTrue(traits.isPresent(), "the store's traits are not known");
    LockClient client = bed.one();
    Map<LockMode, ThrowingCallable> each =
        Map.of(
            LockMode.SHARED, () -> client.readWriteLock(bed.name()),
            LockMode.PERMITS, () -> client.semaphore(bed.name(), 2));
    each.forEach(
        (mode, take) -> {
          if (!traits.orElseThrow().modes().contains(mode)) {
            assertThatThrownBy(take)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(mode == LockMode.SHARED ? "no read locks" : "no semaphores");
          } else {
            assertThatCode(take).doesNotThrowAnyException();
          }
        });
  }

  /** When the lock is taken so, before anything is asked of the store. */
  @ContractTest
  @DisplayName("R15 fair waiting is refused where the store keeps no queue")
  default void R15_fairIsRefusedWithoutAQueue(Testbed bed) throws Exception {
    LockOptions fair = LockOptions.defaults().fair();
    if (bed.fixture().lacks(Ability.FAIR).isPresent()) {
      assertThatThrownBy(() -> bed.lock(bed.one()).with(fair).tryAcquire())
          .isInstanceOf(MissingTraitException.class);
    } else {
      bed.take(bed.lock(bed.one()).with(fair)).release();
    }
  }

  // ---- R19

  /** However often. */
  @ContractTest
  @DisplayName("R19 re-entry, isHeld and remaining cost no request")
  default void R19_reentryCostsNoRequest(Testbed bed) throws Exception {
    Faults faults = bed.faults(bed.one());
    DistributedLock lock = bed.lock(bed.one());
    lock.withLock(
        outer -> {
          int before = faults.requests();
          for (int i = 0; i < 3; i++) {
            lock.withLock(inner -> assertThat(inner.isHeld()).isTrue());
            Lock view = lock.asLock();
            view.lock();
            assertThat(view.tryLock()).isTrue();
            view.unlock();
            view.unlock();
            assertThat(outer.remaining()).isPositive();
          }
          assertThat(faults.requests()).isEqualTo(before);
        });
    bed.requireFree();
  }

  /** In the other order too. */
  @ContractTest
  @DisplayName("R19 a read lock inside its write lock costs no request")
  default void R19_aReadInsideAWriteCostsNoRequest(Testbed bed) throws Exception {
    bed.needs(Ability.SHARED);
    Faults faults = bed.faults(bed.one());
    DistributedLock write = bed.one().readWriteLock(bed.name()).writeLock();
    DistributedLock read = bed.one().readWriteLock(bed.name()).readLock();
    write.withLock(
        outer -> {
          int before = faults.requests();
          read.withLock(inner -> assertThat(inner.isHeld()).isTrue());
          assertThat(faults.requests()).isEqualTo(before);
          assertThat(List.of(outer.isHeld())).containsExactly(true);
        });
    bed.requireFree();
  }
}
