package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9 and R18: an interrupt ends every wait, is told as such, and leaves nothing behind. */
@Timeout(90)
@Tag("jdk")
class InterruptTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @RegisterExtension final Engines engines = new Engines();

  private static List<Callable<?>> interruptibleWaits(DistributedLock lock) {
    return List.of(
        lock::acquire,
        () -> lock.acquire(LONG),
        () -> lock.tryAcquire(LONG),
        () -> lock.callWithLock(Lease::name),
        () -> lock.callWithLock(LONG, Lease::name),
        () -> {
          lock.asLock().lockInterruptibly();
          return "";
        },
        () -> lock.asLock().tryLock(30, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void endsAWaitForAHolderOfAnotherProcess(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    try (Lease held = one.lock("n").acquire()) {
      assertThat(held.isHeld()).isTrue();
      for (Callable<?> wait : interruptibleWaits(two.lock("n"))) {
        isEndedByAnInterrupt(wait);
      }
    }
    isFreeFor(two);
  }

  @ParameterizedTest
  @EnumSource
  void endsAWaitForAHolderOfTheSameProcess(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    try (Lease held = one.lock("n").acquire()) {
      assertThat(held.isHeld()).isTrue();
      for (Callable<?> wait : interruptibleWaits(one.lock("n"))) {
        isEndedByAnInterrupt(wait);
      }
    }
    isFreeFor(engines.client());
  }

  private static void isEndedByAnInterrupt(Callable<?> wait) throws Exception {
    Running<String> waiter =
        start(() -> thrownBy(wait) + (Thread.currentThread().isInterrupted() ? " and flag" : ""));
    waiter.waiting().thread.interrupt();
    assertThat(waiter.result()).isEqualTo("InterruptedException");
  }

  @ParameterizedTest
  @EnumSource
  void isThrownAtOnceIfItCameBefore(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    for (Callable<?> wait : interruptibleWaits(one.lock("n"))) {
      Running<String> waiter =
          start(
              () -> {
                Thread.currentThread().interrupt();
                return thrownBy(wait);
              });
      assertThat(waiter.result()).isEqualTo("InterruptedException");
    }
    assertThat(factory.count()).as("requests").isZero();
  }

  /** The request's fate is not known then: it is withdrawn in the background. */
  @ParameterizedTest
  @EnumSource
  void endsAWaitForASilentStore(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    factory.become(Mood.REPLIES_LOST, "attempt");
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("n").acquire()));
    waiter.waiting().thread.interrupt();
    assertThat(waiter.result()).isEqualTo("InterruptedException");
    factory.become(Mood.NORMAL);
    Engine two = engines.client();
    two.lock("n").acquire(Duration.ofSeconds(20)).release();
  }

  @ParameterizedTest
  @EnumSource
  void isKeptByWhatCannotBeInterrupted(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    Lease held = one.lock("n").acquire();
    Running<Boolean> waiter =
        start(
            () -> {
              Lock view = two.lock("n").asLock();
              view.lock();
              try {
                return Thread.interrupted();
              } finally {
                view.unlock();
              }
            });
    waiter.waiting().thread.interrupt();
    assertThat(waiter.isDone()).isFalse();
    held.release();
    assertThat(waiter.result()).as("flag").isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void isKeptByReleaseWhichReleases(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Running<Boolean> holder =
        start(
            () -> {
              Lease lease = one.lock("n").acquire();
              Thread.currentThread().interrupt();
              lease.release();
              return Thread.interrupted();
            });
    assertThat(holder.result()).as("flag").isTrue();
    isFreeFor(engines.client());
  }

  private static void isFreeFor(Engine client) {
    Lease lease = client.lock("n").tryAcquire().orElseThrow();
    lease.release();
  }
}
