package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.Watch;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R1 and R12: what callers are told behind an attempt of their process that has no answer yet. */
@Timeout(60)
class SharedAnswerTest {
  @RegisterExtension final Engines engines = new Engines();

  private final CountDownLatch letGo = new CountDownLatch(1);
  private final AtomicInteger attempts = new AtomicInteger();

  @AfterEach
  void letGo() {
    letGo.countDown();
  }

  /** The first attempt is kept on its way, then goes to the store or fails. */
  private Engine clientWhoseFirstAttemptIsKept(Failure failure) {
    engines.serve(Calls.BLOCKING);
    return engines.client(
        HookedStore.over(
            engines.server(),
            call -> {
              if (call.is("attempt") && attempts.incrementAndGet() == 1) {
                letGo.await();
                return failure == null ? call.proceed() : call.fail(failure);
              }
              return call.proceed();
            }),
        b -> b.requestTimeout(Duration.ofSeconds(20)));
  }

  private List<Running<String>> tries(Engine engine, int count) {
    List<Running<String>> tries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tries.add(start(() -> thrownBy(() -> tryOnce(engine))));
      await().until(() -> attempts.get() == 1);
      tries.get(i).waiting();
    }
    return tries;
  }

  private static Object tryOnce(Engine engine) {
    Optional<Lease> lease = engine.lock("n").tryAcquire();
    lease.ifPresent(Lease::release);
    if (lease.isEmpty()) {
      throw new IllegalStateException("busy");
    }
    return lease;
  }

  @Test
  void aTryBehindAnUnansweredTryIsNotToldBusy() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(Failure.UNAVAILABLE);
    List<Running<String>> tries = tries(one, 3);
    assertThat(tries).noneMatch(Running::isDone);
    letGo.countDown();
    for (Running<String> each : tries) {
      assertThat(each.result()).isEqualTo("StoreException");
    }
    assertThat(attempts).hasValue(1);
  }

  /** It asks anew once for those that came after the question was sent. */
  @Test
  void triesBehindABusyAnswerAreToldBusy() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(null);
    Lease held = engines.client().lock("n").acquire();
    List<Running<String>> tries = tries(one, 4);
    letGo.countDown();
    for (Running<String> each : tries) {
      assertThat(each.result()).isEqualTo("IllegalStateException");
    }
    assertThat(attempts.get()).isBetween(1, 2);
    held.release();
  }

  /** The answer to a question that was sent before it came may be old. */
  @Test
  void aTryIsNotToldBusyByAnAnswerToAnEarlierQuestion() throws Exception {
    engines.serve(Calls.BLOCKING);
    Lease held = engines.client().lock("n").acquire();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  Object answer = call.proceed();
                  if (call.is("attempt") && attempts.incrementAndGet() == 1) {
                    letGo.await();
                  }
                  return answer;
                }),
            b -> b.requestTimeout(Duration.ofSeconds(20)));
    Running<String> first = tries(one, 1).get(0);
    held.release();
    Running<String> second = start(() -> thrownBy(() -> tryOnce(one)));
    second.waiting();
    letGo.countDown();
    assertThat(first.result()).isEqualTo("IllegalStateException");
    assertThat(second.result()).isEmpty();
  }

  @Test
  void aTryBehindAnUnansweredWaitIsNotToldBusy() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(Failure.UNAVAILABLE);
    Running<String> wait = start(() -> thrownBy(() -> one.lock("n").acquire()));
    await().until(() -> attempts.get() == 1);
    Running<String> second = start(() -> thrownBy(() -> tryOnce(one)));
    second.waiting();
    assertThat(second.isDone()).isFalse();
    letGo.countDown();
    assertThat(wait.result()).isEqualTo("StoreException");
    assertThat(second.result()).isEqualTo("StoreException");
  }

  @Test
  void anAsynchronousTryBehindAnUnansweredTryIsNotToldBusy() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(Failure.UNAVAILABLE);
    Running<String> first = tries(one, 1).get(0);
    CompletableFuture<Lease> second = one.lock("n").acquireAsync(Duration.ZERO);
    letGo.countDown();
    assertThat(first.result()).isEqualTo("StoreException");
    assertThat(thrownBy(second::join)).isEqualTo("CompletionException");
    assertThat(second.handle((lease, failed) -> failed).join())
        .hasMessageContaining("the test made it fail");
  }

  // ---- kinds

  /** The store alone knows which of them is the right one. */
  @Test
  void anUnansweredTryOfAnotherKindFailsNobody() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(null);
    Lease right = engines.client().semaphore("n", 2).acquire();
    Running<String> wrong = tries(one, 1).get(0);
    Running<Lease> alsoRight =
        start(() -> one.semaphore("n", 2).acquire(Duration.ofSeconds(10))).waiting();
    letGo.countDown();
    assertThat(wrong.result()).isEqualTo("LockKindException");
    alsoRight.result().release();
    right.release();
  }

  @Test
  void anUnansweredTryForPermitsDoesNotFailALock() throws Exception {
    Engine one = clientWhoseFirstAttemptIsKept(null);
    Running<String> wrong =
        start(() -> thrownBy(() -> one.semaphore("n", 2).tryAcquire().orElseThrow()));
    await().until(() -> attempts.get() == 1);
    Lease right = one.lock("n").acquire(Duration.ofSeconds(10));
    letGo.countDown();
    assertThat(wrong.result()).isEqualTo("LockKindException");
    right.release();
  }

  // ---- the last request of a wait

  /** The last request ran out of the caller's time: that is no failure of the store. */
  @Test
  void aWaitThatWasAnsweredBusyEndsAsBusy() throws Exception {
    engines.serve(Calls.BLOCKING);
    CountDownLatch never = new CountDownLatch(1);
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("watch")) {
                    return CompletableFuture.completedFuture(Watch.ATTEMPT_AGAIN);
                  }
                  return call.is("attempt") && attempts.incrementAndGet() > 1
                      ? call.hang(never)
                      : call.proceed();
                }),
            b -> b);
    Lease held = engines.client().lock("n").acquire();
    assertThat(one.lock("n").tryAcquire(Duration.ofMillis(300))).isEmpty();
    assertThat(attempts.get()).isGreaterThan(1);
    held.release();
    attempts.set(0);
    never.countDown();
  }

  /** It saw that its own process has the lock. */
  @Test
  void aFairWaiterBehindALeaseOfItsProcessEndsAsBusy() throws Exception {
    engines.serve(Calls.BLOCKING);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    Lease held = one.lock("n").acquire();
    factory.become(Mood.SILENT, "attempt");
    assertThat(one.lock("n").with(LockOptions.defaults().fair()).tryAcquire(Duration.ofMillis(200)))
        .isEmpty();
    factory.become(Mood.NORMAL);
    held.release();
  }
}
