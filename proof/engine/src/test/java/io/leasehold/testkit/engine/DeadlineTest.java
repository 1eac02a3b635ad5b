package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static io.leasehold.testkit.engine.Engines.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R12 and R16: one budget for everything, and a deadline is a deadline. */
@Timeout(90)
class DeadlineTest {
  /** Scheduling delays on a busy machine; less than a request may take by default. */
  private static final Duration SOON = Duration.ofSeconds(3);

  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void aTimedTryEndsInTimeThoughTheStoreIsSilent(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    factory.become(Mood.SILENT, "attempt");
    Duration took =
        timed(
            () ->
                assertThatThrownBy(() -> one.lock("n").tryAcquire(Duration.ofMillis(200)))
                    .isInstanceOf(StoreException.class));
    assertThat(took).isBetween(Duration.ofMillis(190), Duration.ofMillis(200).plus(SOON));
    Duration async =
        timed(
            () ->
                thrownBy(
                    () ->
                        one.lock("n")
                            .acquireAsync(Duration.ofMillis(200))
                            .get(5, TimeUnit.SECONDS)));
    assertThat(async).isBetween(Duration.ofMillis(190), Duration.ofMillis(200).plus(SOON));
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void aTryTakesOneRequestTimeoutThoughTheStoreIsSilent(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(2)));
    factory.become(Mood.SILENT, "attempt");
    Duration took =
        timed(
            () ->
                assertThatThrownBy(() -> one.lock("n").tryAcquire())
                    .isInstanceOf(StoreException.class));
    assertThat(took).as("less than two").isLessThan(Duration.ofMillis(3_900));
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void anUnreachableStoreFailsFast(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    factory.become(Mood.UNAVAILABLE);
    Duration took =
        timed(
            () ->
                assertThatThrownBy(() -> one.lock("n").acquire(Duration.ofSeconds(20)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("'n'"));
    assertThat(took).isLessThan(SOON);
    assertThatThrownBy(() -> one.lock("n").tryAcquire())
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.failure()).isEqualTo(StoreException.Failure.UNAVAILABLE));
    factory.become(Mood.NORMAL);
  }

  /** Once answered, a waiter keeps trying to its deadline. */
  @ParameterizedTest
  @EnumSource
  void aWaiterOutlastsAnOutage(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine two = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    Lease held = one.lock("n").acquire();
    Running<Long> waiter =
        start(
            () -> {
              try (Lease lease = two.lock("n").acquire(Duration.ofSeconds(8))) {
                return lease.fencingToken();
              }
            });
    await().until(() -> factory.count("watch") > 0);
    waiter.waiting();
    factory.become(Mood.UNAVAILABLE);
    held.release();
    await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    assertThat(waiter.isDone()).isFalse();
    factory.become(Mood.NORMAL);
    assertThat(waiter.result()).isGreaterThan(held.fencingToken());
  }

  /** What came while a release was under way has no answer of the store if that had none. */
  @ParameterizedTest
  @EnumSource
  void aWaiterBehindAReleaseWithoutAnswerIsNotToldThatItIsBusy(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Duration request = Duration.ofMillis(400);
    Engine one = engines.client(factory, b -> b.requestTimeout(request));
    Lease held = one.lock("n").acquire();
    factory.become(Mood.SILENT);
    CompletableFuture<Void> release = held.releaseAsync();
    await().until(() -> factory.count("release") > 0);
    assertThatThrownBy(() -> one.lock("n").acquire(request.multipliedBy(3).dividedBy(2)))
        .isInstanceOf(StoreException.class);
    assertThat(release).isCompletedExceptionally();
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void oneBudgetCoversTheLocalQueueAndTheStore(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    Lease mine = one.lock("n").acquire();
    Running<Duration> waiter =
        start(
            () ->
                timed(
                    () -> {
                      one.lock("n").tryAcquire(Duration.ofSeconds(4)).ifPresent(Lease::release);
                      return "";
                    }));
    Running<Lease> other = start(() -> two.lock("n").acquire(Duration.ofSeconds(10)));
    await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
    mine.release();
    Duration took = waiter.result();
    other.result().release();
    assertThat(took)
        .as("not the time of the queue and then four seconds more")
        .isLessThan(Duration.ofMillis(5_700));
  }

  @ParameterizedTest
  @EnumSource
  void aBusyLockIsATimeoutThatNamesItsHolder(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    try (Lease held = one.lock("n").acquire()) {
      assertThatThrownBy(() -> two.lock("n").acquire(Duration.ofMillis(500)))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("'n'")
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      assertThatThrownBy(() -> one.lock("n").acquire(Duration.ofMillis(500)))
          .isInstanceOf(LockTimeoutException.class);
      assertThat(two.lock("n").tryAcquire(Duration.ofMillis(500))).isEmpty();
      assertThat(two.lock("n").tryAcquire(Duration.ZERO)).isEmpty();
      assertThat(two.lock("n").tryAcquire(Duration.ofSeconds(-1))).isEmpty();
      assertThat(two.lock("n").tryAcquire()).isEmpty();
      assertThatThrownBy(() -> two.lock("n").acquireAsync(Duration.ZERO).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LockTimeoutException.class);
      assertThat(held.isHeld()).isTrue();
    }
  }

  /** A lost reply is asked for again, and yields the grant that it was the answer to. */
  @ParameterizedTest
  @EnumSource
  void aLostReplyIsResolvedByAskingAgain(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one =
        engines.client(
            factory, b -> b.ttl(Duration.ofMillis(400)).requestTimeout(Duration.ofSeconds(3)));
    factory.become(Mood.REPLIES_LOST, "attempt");
    Running<Lease> waiter = start(() -> one.lock("n").acquire(Duration.ofSeconds(5)));
    await().until(() -> factory.count("attempt") > 0);
    factory.become(Mood.NORMAL);
    Lease lease = waiter.result();
    assertThat(lease.isHeld()).isTrue();
    lease.release();
  }

  /**
   * The first connection takes longer than half of a short ttl, and less than a request timeout.
   */
  @ParameterizedTest
  @EnumSource
  void aStoreThatIsSlowAtFirstIsAskedAgainInTime(Calls calls) throws Exception {
    engines.serve(calls);
    AtomicInteger attempts = new AtomicInteger();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (!call.is("attempt") || attempts.incrementAndGet() > 1) {
                    return call.proceed();
                  }
                  assertThat(call.within()).isLessThanOrEqualTo(Duration.ofMillis(100));
                  call.hang(new CountDownLatch(1));
                  return call.fail(Failure.UNAVAILABLE);
                }),
            b -> b.ttl(Duration.ofMillis(200)));
    assertThat(one.lock("n").tryAcquire()).isPresent().get().satisfies(Lease::release);
    assertThat(attempts).hasValueGreaterThan(1);
  }

  /** Each question takes all the time that it has, as one to a server that is stopped. */
  @ParameterizedTest
  @EnumSource
  void aStoreThatStaysSlowIsNotAskedWithoutEnd(Calls calls) throws Exception {
    engines.serve(calls);
    AtomicInteger attempts = new AtomicInteger();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (!call.is("attempt")) {
                    return call.proceed();
                  }
                  attempts.incrementAndGet();
                  call.hang(new CountDownLatch(1));
                  return call.fail(Failure.UNAVAILABLE);
                }),
            b -> b.ttl(Duration.ofSeconds(30)));
    assertThatThrownBy(() -> one.lock("n").tryAcquire(Duration.ofMillis(300)))
        .isInstanceOf(StoreException.class);
    assertThat(attempts.get()).as("in 300 ms").isLessThan(10);
    attempts.set(0);
    assertThatThrownBy(() -> one.lock("n").tryAcquire()).isInstanceOf(StoreException.class);
    assertThat(attempts.get()).as("by a try, in 2 s").isLessThan(10);
  }
}
