package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.ClientClosedException;
import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.contract.Faults;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What no thread waits for: acquisitions, releases and work under a lock. */
@Timeout(90)
class AsyncTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @RegisterExtension final Engines engines = new Engines();

  private static String thread() {
    return Thread.currentThread().getName();
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(10, TimeUnit.SECONDS);
  }

  private static Throwable failureOf(CompletableFuture<?> future) {
    try {
      return new AssertionError("completed with " + soon(future));
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (Exception e) {
      return e;
    }
  }

  // ---- acquisitions

  @ParameterizedTest
  @EnumSource
  void withoutABoundItWaitsUntilTheLockIsFree(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    CompletableFuture<Lease> waiter = one.lock("n").acquireAsync();
    CompletableFuture<MultiLease> several = one.allOf("m", "n").acquireAsync();
    assertThat(waiter).isNotDone();
    held.release();
    soon(waiter).release();
    soon(several).release();
  }

  @ParameterizedTest
  @EnumSource
  void aTrySaysEmptyAndNotAnException(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    DistributedLock lock = one.lock("n");
    Lease held = soon(lock.tryAcquireAsync()).orElseThrow();
    assertThat(soon(lock.tryAcquireAsync())).isEmpty();
    assertThat(soon(lock.tryAcquireAsync(Duration.ofMillis(500)))).isEmpty();
    assertThat(soon(one.allOf("a", "n").tryAcquireAsync())).isEmpty();
    held.release();
    soon(lock.tryAcquireAsync(LONG)).orElseThrow().release();
    soon(one.allOf("a", "n").tryAcquireAsync(LONG)).orElseThrow().release();
  }

  @Test
  void aTryThatIsCancelledLeavesNothing() throws Exception {
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    CompletableFuture<Optional<Lease>> waiter = one.lock("n").tryAcquireAsync(LONG);
    waiter.cancel(true);
    await().until(() -> one.ledger().waiters() == 0);
    held.release();
    one.lock("n").acquire().release();
  }

  // ---- releases

  /** Though each request of the store blocks the thread that makes it. */
  @ParameterizedTest
  @EnumSource
  void aReleaseNeverBlocksItsCaller(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, builder -> builder);
    Lease lease = one.lock("n").acquire();
    factory.become(Mood.SILENT, "release");
    CompletableFuture<Void> released = lease.releaseAsync();
    assertThat(released).as("while the store is silent").isNotDone();
    assertThat(lease.isHeld()).isFalse();
    assertThat(failureOf(released)).isInstanceOf(StoreException.class);
    factory.become(Mood.NORMAL);
    await().until(() -> one.ledger().isZero());
  }

  @ParameterizedTest
  @EnumSource
  void aReleaseFreesTheLockAndIsToldOnAThreadOfTheClient(Calls calls) throws Exception {
    engines.serve(calls);
    var slow = new io.leasehold.testkit.FaultyStore(engines.server());
    Engine one = engines.client(slow, builder -> builder);
    Lease lease = one.lock("n").acquire();
    Faults.Delayed request = slow.delay(slow.requests());
    CompletableFuture<String> told = lease.releaseAsync().thenApply(released -> thread());
    request.land();
    assertThat(soon(told)).startsWith("leasehold-");
    soon(lease.releaseAsync());
    MultiLease several = one.allOf("a", "n").acquire();
    soon(several.releaseAsync());
    assertThat(engines.server().list()).isEmpty();
  }

  @Test
  void aReleaseOfWhatWasLostSaysSo() throws Exception {
    Engine one = engines.client();
    Lease lease = one.lock("n").acquire();
    one.close();
    assertThat(failureOf(lease.releaseAsync())).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void cancellingTheFutureOfAReleaseStopsNothing() throws Exception {
    Engine one = engines.client();
    Lease lease = one.lock("n").acquire();
    lease.releaseAsync().cancel(true);
    soon(engines.client().lock("n").acquireAsync(LONG)).release();
  }

  // ---- work under a lock

  @ParameterizedTest
  @EnumSource
  void theLockIsHeldUntilTheStageOfTheWorkHasEnded(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<Lease> entered = new CompletableFuture<>();
    CompletableFuture<String> told =
        one.lock("n")
            .withLockAsync(
                LONG,
                lease -> {
                  entered.complete(lease);
                  return work;
                });
    Lease lease = soon(entered);
    assertThat(lease.isHeld()).isTrue();
    assertThat(one.lock("n").tryAcquire()).isEmpty();
    work.complete("done");
    assertThat(soon(told)).isEqualTo("done");
    assertThat(lease.isHeld()).isFalse();
    assertThat(engines.server().list()).as("once it is told").isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void whateverTheWorkDoesTheLockIsFreeAfterwards(Calls calls) throws Exception {
    engines.serve(calls);
    DistributedLock lock = engines.client().lock("n");
    IllegalStateException mine = new IllegalStateException("of the work");
    assertThat(failureOf(lock.withLockAsync(LONG, lease -> CompletableFuture.failedFuture(mine))))
        .isSameAs(mine);
    assertThat(
            failureOf(
                lock.withLockAsync(
                    LONG,
                    lease -> {
                      throw mine;
                    })))
        .isSameAs(mine);
    assertThat(
            failureOf(
                lock.withLockAsync(
                    LONG, lease -> CompletableFuture.runAsync(AsyncTest::throwsAnError))))
        .isInstanceOf(AssertionError.class);
    assertThat(failureOf(lock.withLockAsync(LONG, lease -> null)))
        .isInstanceOf(NullPointerException.class);
    assertThat(engines.server().list()).isEmpty();
  }

  private static void throwsAnError() {
    throw new AssertionError("of the work");
  }

  @Test
  void workOnABusyLockIsNotBegun() throws Exception {
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    assertThat(
            failureOf(
                one.lock("n")
                    .withLockAsync(
                        Duration.ofMillis(50),
                        lease -> {
                          throw new AssertionError("begun");
                        })))
        .isInstanceOf(LockTimeoutException.class);
    held.release();
  }

  /** Before the grant, and while the work runs; also by what only depends on the future. */
  @ParameterizedTest
  @EnumSource
  void cancellingLeavesNoLeaseBehind(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    CompletableFuture<String> waiting =
        one.lock("n").withLockAsync(LONG, lease -> CompletableFuture.completedFuture("never"));
    waiting.cancel(true);
    await().until(() -> one.ledger().waiters() == 0);
    held.release();

    CompletableFuture<String> work = new CompletableFuture<>();
    CountDownLatch entered = new CountDownLatch(1);
    CompletableFuture<String> running =
        one.lock("n")
            .withLockAsync(
                LONG,
                lease -> {
                  entered.countDown();
                  return work;
                });
    assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
    running.cancel(true);
    await().until(work::isCancelled);

    CompletableFuture<String> other = new CompletableFuture<>();
    CompletableFuture<Integer> derived =
        one.lock("n").withLockAsync(LONG, lease -> other).thenApply(String::length);
    derived.cancel(true);
    other.complete("done");
    soon(engines.client().lock("n").acquireAsync(LONG)).release();
  }

  @Test
  void whatIsLostMeanwhileIsTold() throws Exception {
    Engine one = engines.client(b -> b.ttl(Duration.ofSeconds(1)));
    CompletableFuture<String> work = new CompletableFuture<>();
    CompletableFuture<Lease> entered = new CompletableFuture<>();
    CompletableFuture<String> told =
        one.lock("n")
            .withLockAsync(
                LONG,
                lease -> {
                  entered.complete(lease);
                  return work;
                });
    Lease lease = soon(entered);
    engines.client().lock("n").breakLease(lease.fencingToken());
    await().until(() -> !lease.isHeld());
    work.complete("done");
    assertThat(failureOf(told)).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void aReleaseOfUnknownOutcomeDoesNotTakeTheResultAway() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    CompletableFuture<String> told =
        one.lock("n")
            .withLockAsync(
                LONG,
                lease -> {
                  factory.become(Mood.REPLIES_LOST, "release");
                  return CompletableFuture.completedFuture("done");
                });
    assertThat(soon(told)).isEqualTo("done");
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void workAndEndAreOnTheExecutor(Calls calls) throws Exception {
    engines.serve(calls);
    ExecutorService executor = Executors.newSingleThreadExecutor(r -> new Thread(r, "of the user"));
    try {
      CompletableFuture<String> worked = new CompletableFuture<>();
      CompletableFuture<String> ended = new CompletableFuture<>();
      CompletableFuture<Void> told =
          engines
              .client()
              .lock("n")
              .withLockAsync(
                  LONG,
                  executor,
                  lease -> {
                    worked.complete(thread());
                    return CompletableFuture.<Void>completedFuture(null);
                  });
      CompletableFuture<Void> unused = told.thenRun(() -> ended.complete(thread()));
      assertThat(soon(worked)).isEqualTo("of the user");
      soon(told);
      soon(ended);
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aClosedClientEndsTheWait() throws Exception {
    Engine one = engines.client();
    Lease held = engines.client().lock("n").acquire();
    CompletableFuture<String> told =
        one.lock("n").withLockAsync(LONG, lease -> CompletableFuture.completedFuture("never"));
    one.close();
    assertThat(failureOf(told)).isInstanceOf(ClientClosedException.class);
    held.release();
  }
}
