package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockKindException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Semaphores: never more permits out than there are, and one size for all. */
@Timeout(90)
class PermitsTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void permitsAreSharedByAllClients(Calls calls) throws Exception {
    engines.serve(calls);
    DistributedSemaphore here = engines.client().semaphore("n", 3);
    DistributedSemaphore there = engines.client().semaphore("n", 3);
    Lease one = here.acquire();
    Lease two = there.permits(2).acquire();
    assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
    assertThat(here.tryAcquire()).isEmpty();
    assertThat(there.tryAcquire(Duration.ofMillis(500))).isEmpty();
    Running<Lease> waiter = start(() -> here.permits(2).acquire());
    waiter.waiting();
    one.release();
    assertThat(waiter.isDone()).isFalse();
    two.release();
    waiter.result().release();
  }

  @Test
  void triesAtTheSameTimeAllSucceed() throws Exception {
    DistributedSemaphore semaphore = engines.client().semaphore("n", 8);
    List<Running<Optional<Lease>>> tries = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tries.add(start(semaphore::tryAcquire));
    }
    for (Running<Optional<Lease>> one : tries) {
      one.result().orElseThrow().release();
    }
  }

  @Test
  void anotherSizeOrKindIsRefusedWhileItIsInUse() throws Exception {
    Engine here = engines.client();
    Engine there = engines.client();
    try (Lease held = here.semaphore("n", 3).acquire()) {
      assertThat(held.isHeld()).isTrue();
      for (Engine client : List.of(here, there)) {
        assertThatThrownBy(() -> client.semaphore("n", 4).acquire())
            .isInstanceOf(LockKindException.class)
            .hasMessageContaining("semaphore of 3 permits")
            .hasMessageContaining("semaphore of 4 permits");
        assertThatThrownBy(() -> client.lock("n").tryAcquire())
            .isInstanceOf(LockKindException.class);
        assertThatThrownBy(() -> client.readWriteLock("n").readLock().acquire())
            .isInstanceOf(LockKindException.class);
      }
    }
    try (Lease held = here.lock("n").acquire()) {
      assertThat(held.isHeld()).isTrue();
      for (Engine client : List.of(here, there)) {
        assertThatThrownBy(() -> client.semaphore("n", 3).acquire())
            .isInstanceOf(LockKindException.class);
      }
    }
    there.semaphore("n", 4).acquire().release();
  }

  @Test
  void neverMoreAreOutThanThereAre() throws Exception {
    List<Engine> clients = List.of(engines.client(), engines.client());
    AtomicInteger out = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Running<Void>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      DistributedSemaphore semaphore = clients.get(i % 2).semaphore("n", 3).permits(1 + i % 3);
      all.add(
          start(
              () -> {
                for (int n = 0; n < 30; n++) {
                  semaphore.withLock(
                      lease -> {
                        most.accumulateAndGet(out.addAndGet(semaphore.permits()), Math::max);
                        out.addAndGet(-semaphore.permits());
                      });
                }
                return null;
              }));
    }
    for (Running<Void> one : all) {
      await().atMost(Duration.ofSeconds(60)).until(one::isDone);
      one.result();
    }
    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void sizesAndCountsThatCannotBeAreRefused() {
    Engine client = engines.client();
    assertThatThrownBy(() -> client.semaphore("n", 0)).isInstanceOf(IllegalArgumentException.class);
    DistributedSemaphore three = client.semaphore("n", 3);
    assertThatThrownBy(() -> three.permits(4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> three.permits(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(three::asLock).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void availablePermitsAreThoseThatNobodyHolds() throws Exception {
    DistributedSemaphore five = engines.client().semaphore("five", 5);
    assertThat(five.availablePermits()).isEqualTo(5);
    Lease two = engines.client().semaphore("five", 5).permits(2).acquire();
    Lease one = five.acquire();
    assertThat(five.availablePermits()).isEqualTo(2);
    two.release();
    one.release();
    assertThat(five.availablePermits()).isEqualTo(5);
  }
}
