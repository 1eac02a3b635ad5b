package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static io.leasehold.testkit.engine.Engines.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.ClientClosedException;
import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R14: close releases what is held, ends every wait and thread, and returns in bounded time. */
@Timeout(90)
class CloseTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void releasesAndEndsEveryWait(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    Lease ofAnother = two.lock("theirs").acquire();
    Lease held = one.lock("mine").acquire();
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("mine").acquire()));
    Running<String> remote =
        start(() -> thrownBy(() -> one.lock("theirs").tryAcquire(Duration.ofMinutes(1))));
    Running<String> view =
        start(
            () ->
                thrownBy(
                    () -> {
                      one.lock("theirs").asLock().lock();
                      return "";
                    }));
    CompletableFuture<Lease> async =
        one.lock("theirs").acquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
    waiter.waiting();
    remote.waiting();
    view.waiting();
    assertThat(timed(() -> close(one))).isLessThan(Duration.ofSeconds(2));
    assertThat(waiter.result()).isEqualTo("ClientClosedException");
    assertThat(remote.result()).isEqualTo("ClientClosedException");
    assertThat(view.result()).isEqualTo("ClientClosedException");
    assertThatThrownBy(async::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(ClientClosedException.class);
    assertThat(held.isHeld()).isFalse();
    assertThat(one.ledger().isZero()).isTrue();
    two.lock("mine").tryAcquire().orElseThrow().release();
    ofAnother.release();
  }

  private static String close(Engine engine) {
    engine.close();
    return "";
  }

  @ParameterizedTest
  @EnumSource
  void isBoundedThoughTheStoreIsSilent(Calls calls) throws Exception {
    engines.serve(calls);
    engines.mayLeaveSomething();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one =
        engines.client(
            factory,
            b -> b.closeTimeout(Duration.ofMillis(700)).requestTimeout(Duration.ofMillis(300)));
    for (int i = 0; i < 20; i++) {
      assertThat(one.lock("held " + i).acquire().isHeld()).isTrue();
    }
    factory.become(Mood.SILENT);
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("waited for").acquire()));
    waiter.waiting();
    assertThat(timed(() -> close(one))).isLessThan(Duration.ofSeconds(4));
    assertThat(waiter.result()).isIn("ClientClosedException", "StoreException");
    assertThat(one.ledger().limbo()).isZero();
    assertThat(engines.events(LockEvent.UnknownOutcome.class)).isNotEmpty();
  }

  @Test
  void afterItEverythingIsRefused() throws Exception {
    Engine one = engines.client();
    DistributedLock lock = one.lock("n");
    Lease held = lock.acquire();
    one.close();
    one.close();
    assertThat(one.isClosed()).isTrue();
    List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
            () -> one.lock("n"),
            one::list,
            lock::acquire,
            lock::tryAcquire,
            () -> lock.tryAcquire(Duration.ofSeconds(1)),
            () -> lock.withLock(lease -> {}),
            lock.asLock()::lock,
            lock.asLock()::tryLock,
            lock::inspect)
        .forEach(use -> assertThatThrownBy(use).isInstanceOf(ClientClosedException.class));
    assertThatThrownBy(
            () ->
                lock.acquireAsync(Duration.ofSeconds(1))
                    .toCompletableFuture()
                    .get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
    assertThat(held.isHeld()).isFalse();
    held.release();
  }

  @ParameterizedTest
  @EnumSource
  void racesWithCallersAndStillEnds(Calls calls) throws Exception {
    engines.serve(calls);
    for (int round = 0; round < 30; round++) {
      Engine one = engines.client();
      List<Running<String>> callers =
          java.util.stream.IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      start(
                          () -> {
                            String end = "";
                            while (end.isEmpty()) {
                              end = thrownBy(() -> release(one.lock("n").acquire()));
                            }
                            return end;
                          }))
              .toList();
      java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
      one.close();
      for (Running<String> caller : callers) {
        assertThat(caller.result()).isIn("ClientClosedException", "LeaseLostException");
      }
      assertThat(one.ledger().isZero()).as(() -> one.ledger().toString()).isTrue();
    }
    assertThat(engines.server().list()).isEmpty();
  }

  /** The first word of the store is often that an attempt may still land. */
  @Test
  void withdrawsUntilTheStoreSaysThatItIsFinal() throws Exception {
    engines.serve(Calls.BLOCKING);
    CountDownLatch firstAnswer = new CountDownLatch(1);
    AtomicInteger withdrawals = new AtomicInteger();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("attempt")) {
                    return call.fail(Failure.UNKNOWN_OUTCOME);
                  }
                  if (!call.is("withdraw")) {
                    return call.proceed();
                  }
                  if (withdrawals.incrementAndGet() == 1) {
                    firstAnswer.await();
                    return CompletableFuture.completedFuture(false);
                  }
                  return call.proceed();
                }),
            b -> b.closeTimeout(Duration.ofSeconds(20)));
    assertThat(thrownBy(() -> one.lock("n").tryAcquire())).isEqualTo("StoreException");
    Running<String> closing = start(() -> close(one));
    await().until(one::isClosed);
    firstAnswer.countDown();
    assertThat(closing.result()).isEmpty();
    assertThat(withdrawals.get()).isGreaterThan(1);
  }

  private static String release(Lease lease) {
    lease.release();
    return "";
  }

  @Test
  void mayBeCalledFromACallback() throws Exception {
    Engine one = engines.client(b -> b.ttl(Duration.ofMillis(300)));
    CompletableFuture<String> done = new CompletableFuture<>();
    Lease lease =
        one.lock("n").with(io.leasehold.LockOptions.defaults().withoutRenewal()).acquire();
    lease.onLost(() -> done.complete(close(one)));
    assertThat(done.get(5, TimeUnit.SECONDS)).isEmpty();
  }
}
