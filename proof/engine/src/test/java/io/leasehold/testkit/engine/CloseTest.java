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
import io.leasehold.LeaseLostException;
import io.leasehold.MultiLock;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.ArrayList;
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
    CompletableFuture<Lease> async = one.lock("theirs").acquireAsync(Duration.ofMinutes(1));
    waiter.waiting();
    remote.waiting();
    view.waiting();
    assertThat(timed(() -> close(one))).isLessThan(Duration.ofSeconds(20));
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

  /** Once the time to close is over, each withdrawal ends at once, and the next begins. */
  @Test
  void thousandsOfLeasesInDoubtEndWithTheClient() throws Exception {
    engines.mayLeaveSomething();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one =
        engines.client(
            factory,
            b -> b.closeTimeout(Duration.ofSeconds(3)).requestTimeout(Duration.ofSeconds(1)));
    for (int i = 0; i < 10_000; i++) {
      assertThat(one.lock("held " + i).acquire().isHeld()).isTrue();
    }
    factory.become(Mood.SILENT);
    one.close();
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
    assertThatThrownBy(() -> lock.acquireAsync(Duration.ofSeconds(1)).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
    assertThat(held.isHeld()).isFalse();
    assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
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

  // ---- those who hold

  @ParameterizedTest
  @EnumSource
  void itTellsHolders(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    CountDownLatch told = new CountDownLatch(1);
    held.onLost(told::countDown);
    one.close();
    assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
    assertThat(held.isHeld()).isFalse();
    assertThatThrownBy(held::release)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("its client was closed");
    assertThat(engines.server().list()).isEmpty();
    await()
        .untilAsserted(
            () ->
                assertThat(engines.events(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::reason)
                    .isEqualTo(LockEvent.Lost.Reason.CLOSED));
    assertThat(engines.events(LockEvent.Released.class)).isEmpty();
  }

  @Test
  void whatRunsUnderALockLearnsOfIt() throws Exception {
    Engine one = engines.client();
    assertThatThrownBy(() -> one.lock("n").withLock(lease -> one.close()))
        .isInstanceOf(LeaseLostException.class);
    Engine two = engines.client();
    assertThatThrownBy(() -> two.lock("n").callWithLock(lease -> close(two) + "the result"))
        .isInstanceOf(LeaseLostException.class);
    Engine three = engines.client();
    assertThatThrownBy(
            () -> {
              three.lock("n").asLock().lock();
              three.close();
              three.lock("m");
            })
        .isInstanceOf(ClientClosedException.class);
  }

  @ParameterizedTest
  @EnumSource
  void itWaitsForHoldersWhereThatIsAskedFor(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client(b -> b.closeTimeout(Duration.ofSeconds(60)).closeWaitsForHolders());
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    DistributedLock lock = one.lock("n");
    Running<String> work =
        start(
            () ->
                lock.callWithLock(
                    lease -> {
                      holds.countDown();
                      done.await();
                      return lock.callWithLock(again -> "" + again.isHeld());
                    }));
    assertThat(holds.await(5, TimeUnit.SECONDS)).isTrue();
    DistributedLock other = one.lock("m");
    Running<String> closing = start(() -> close(one));
    await().until(one::isClosed);
    assertThatThrownBy(other::tryAcquire).isInstanceOf(ClientClosedException.class);
    assertThat(closing.isDone()).isFalse();
    assertThat(engines.server().list()).hasSize(1);
    done.countDown();
    assertThat(work.result()).isEqualTo("true");
    assertThat(closing.result()).isEmpty();
    assertThat(engines.events(LockEvent.Lost.class)).isEmpty();
  }

  @Test
  void itDoesNotWaitForHoldersForEver() throws Exception {
    Engine one = engines.client(b -> b.closeTimeout(Duration.ofMillis(400)).closeWaitsForHolders());
    Lease held = one.lock("n").acquire();
    assertThat(timed(() -> close(one))).isLessThan(Duration.ofSeconds(5));
    assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
    assertThat(engines.server().list()).isEmpty();
  }

  // ---- what hangs

  @ParameterizedTest
  @EnumSource
  void severalLocksOfAClosedClientAreRefused(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    MultiLock all = one.allOf("a", "b");
    one.close();
    Running<String> once = start(() -> thrownBy(all::tryAcquire));
    Running<String> zero = start(() -> thrownBy(() -> all.acquire(Duration.ZERO)));
    assertThat(once.result()).isEqualTo("ClientClosedException");
    assertThat(zero.result()).isEqualTo("ClientClosedException");
    assertThatThrownBy(() -> all.acquireAsync(Duration.ZERO).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> all.acquireAsync(Duration.ofMinutes(1)).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
  }

  /** At any moment: what it has so far, asks for, and lets go of. */
  @ParameterizedTest
  @EnumSource
  void closeEndsATryForSeveralLocks(Calls calls) throws Exception {
    engines.serve(calls);
    Engine other = engines.client();
    Lease last = other.lock("c").acquire();
    for (int round = 0; round < 20; round++) {
      Engine one = engines.client();
      Running<String> caller =
          start(
              () -> {
                String end = "";
                while (end.isEmpty()) {
                  end = thrownBy(() -> one.allOf("a", "b", "c").tryAcquire());
                }
                return end;
              });
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      one.close();
      assertThat(caller.result()).isEqualTo("ClientClosedException");
    }
    last.release();
  }

  /** Also those whose completion waits for a thread when the client is closed by another. */
  @Test
  void everyFutureIsCompleted() throws Exception {
    Engine one = engines.client();
    Lease held = engines.client().lock("n").acquire();
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    Lease gate = engines.client().lock("free").acquire();
    for (int i = 0; i < 200; i++) {
      waits.add(one.lock("n").acquireAsync(Duration.ofMinutes(1)));
    }
    waits.forEach(
        wait ->
            wait.whenComplete(
                (lease, failed) -> java.util.concurrent.locks.LockSupport.parkNanos(5_000_000)));
    CompletableFuture<String> closed = new CompletableFuture<>();
    one.lock("free")
        .acquireAsync(Duration.ofMinutes(1))
        .thenAccept(
            lease -> {
              lease.release();
              closed.complete(close(one));
            });
    gate.release();
    assertThat(closed.get(10, TimeUnit.SECONDS)).isEmpty();
    for (CompletableFuture<Lease> wait : waits) {
      assertThatThrownBy(() -> wait.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(ClientClosedException.class);
    }
    held.release();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever hangs: requests, a listener, a completion. */
  @Test
  void itTakesNoLongerThanItsTimeout() throws Exception {
    engines.serve(Calls.BLOCKING);
    engines.mayLeaveSomething();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    CountDownLatch go = new CountDownLatch(1);
    Engine one =
        engines.client(
            factory,
            b ->
                b.closeTimeout(Duration.ofMillis(500))
                    .requestTimeout(Duration.ofSeconds(5))
                    .listener(event -> awaitQuietly(go)));
    for (int i = 0; i < 4; i++) {
      assertThat(one.lock("held " + i).acquire().isHeld()).isTrue();
    }
    CountDownLatch entered = new CountDownLatch(1);
    Lease gate = engines.client().lock("free").acquire();
    one.lock("free")
        .acquireAsync(Duration.ofMinutes(1))
        .thenAccept(
            lease -> {
              entered.countDown();
              awaitQuietly(go);
            });
    gate.release();
    assertThat(entered.await(5, TimeUnit.SECONDS)).isTrue();
    factory.become(Mood.SILENT);
    assertThat(timed(() -> close(one))).isLessThan(Duration.ofSeconds(4));
    go.countDown();
  }
}
