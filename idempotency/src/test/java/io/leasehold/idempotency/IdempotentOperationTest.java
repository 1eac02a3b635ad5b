package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.idempotency.FaultyStore.Fate;
import io.leasehold.idempotency.Reconciler.Finding;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdempotentOperationTest {
  private static final Key KEY = Key.of("alice", "order-77");
  private static final Fingerprint REQUEST = Fingerprint.of("POST", "/orders", "{}");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ManualClock clock = new ManualClock();
  private final FaultyStore store = new FaultyStore(new InMemoryIdempotencyStore(clock));
  private final Idempotency idempotency =
      Idempotency.builder(store).maxResult(100).build(clock, new Threads());
  private final IdempotentOperation<String> order = idempotency.operation("order", Codec.TEXT);
  private final AtomicInteger runs = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    idempotency.close();
    threads.shutdownNow();
  }

  private String work(Claim claim) {
    return "run " + runs.incrementAndGet();
  }

  /** Leaves an unknown outcome behind. */
  private void lapse() {
    IdempotentOperation<String> dies = order.afterException(e -> AfterException.UNKNOWN);
    assertThatThrownBy(() -> dies.execute(KEY, REQUEST, claim -> crash()))
        .isInstanceOf(IllegalStateException.class);
    store.asked.clear();
  }

  private static String crash() {
    throw new IllegalStateException("it crashed");
  }

  // ---- once

  @Test
  void laterCallsReplayTheFirst() {
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    assertThat(store.asked).containsExactly("claim", "complete", "claim");
  }

  @Test
  void keysOfPrincipalsAndOperationsAreTheirOwn() {
    order.execute(KEY, REQUEST, this::work);
    assertThat(order.execute(Key.of("bob", "order-77"), REQUEST, this::work)).isEqualTo("run 2");
    assertThat(order.execute(Key.of("alice/order-77"), REQUEST, this::work)).isEqualTo("run 3");
    assertThat(idempotency.operation("refund", Codec.TEXT).execute(KEY, REQUEST, this::work))
        .isEqualTo("run 4");
  }

  @Test
  void keysAreWrittenSoThatNoTwoAreOne() {
    assertThat(Key.of("a/b", "c").scoped("op", false)).isEqualTo("op/a%2Fb/c");
    assertThat(Key.of("a", "b/c").scoped("op", false)).isEqualTo("op/a/b%2Fc");
    assertThat(Key.of("a", "#\0%2F").scoped("op", false)).isEqualTo("op/a/%23%00%252F");
    assertThat(Key.of("a", "b").scoped("op", true)).matches("#[0-9a-f]{64}");
    assertThat(Key.of("a", "x".repeat(4096)).scoped("op", false)).matches("#[0-9a-f]{64}");
    assertThatThrownBy(() -> Key.of("")).hasMessageContaining("empty");
    assertThatThrownBy(() -> Key.of("\ud83d")).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Key.of("x".repeat(4097))).hasMessageContaining("4096");
  }

  @Test
  void anotherRequestWithTheKeyIsRefused() {
    order.execute(KEY, REQUEST, this::work);
    assertThatThrownBy(() -> order.execute(KEY, Fingerprint.of("other"), this::work))
        .isInstanceOf(FingerprintMismatchException.class);
    assertThat(runs).hasValue(1);
    assertThat(Fingerprint.of("a", "b")).isNotEqualTo(Fingerprint.of("ab"));
  }

  @Test
  void aResultIsKeptForAsLongAsWasSaid() {
    IdempotentOperation<String> brief = order.keep(Duration.ofHours(1));
    brief.execute(KEY, REQUEST, this::work);
    clock.advance(Duration.ofMinutes(59));
    assertThat(brief.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    clock.advance(Duration.ofMinutes(2));
    assertThat(brief.execute(KEY, REQUEST, this::work)).isEqualTo("run 2");
    clock.advance(Duration.ofMinutes(61));
    assertThat(idempotency.purge(1)).isEqualTo(1);
  }

  // ---- while another runs

  /** Runs something while a call with the key runs. */
  private void whileRunning(AfterException ending, Runnable meanwhile) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Future<?> first =
        threads.submit(
            () ->
                order
                    .afterException(e -> ending)
                    .execute(
                        KEY,
                        REQUEST,
                        claim -> {
                          running.countDown();
                          end.await();
                          if (ending != AfterException.REPLAY) {
                            crash();
                          }
                          return work(claim);
                        }));
    assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
    Future<?> second = threads.submit(meanwhile);
    if (meanwhile instanceof Waiting waiting) {
      await().atMost(PATIENCE).until(() -> Collections.frequency(store.asked, "claim") >= 2);
      assertThat(waiting.toString()).isNotEmpty();
    } else {
      second.get(30, TimeUnit.SECONDS);
    }
    end.countDown();
    second.get(30, TimeUnit.SECONDS);
    Throwable ended = catchThrowable(() -> first.get(30, TimeUnit.SECONDS));
    assertThat(ended == null).isEqualTo(ending == AfterException.REPLAY);
    assertThat(first.isDone()).isTrue();
  }

  private interface Waiting extends Runnable {}

  private IdempotentOperation<String> waiting() {
    return order.whileRunning(WhileRunning.await(PATIENCE));
  }

  @Test
  void aCallFailsWhileAnotherRuns() throws Exception {
    whileRunning(
        AfterException.REPLAY,
        () -> {
          AlreadyRunningException e =
              catchThrowableOfType(
                  AlreadyRunningException.class, () -> order.execute(KEY, REQUEST, this::work));
          assertThat(e.retryAfter()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        });
    assertThat(runs).hasValue(1);
  }

  /** Replays what the other yields, or does the work that the other gave back. */
  @ParameterizedTest
  @EnumSource(names = {"REPLAY", "RELEASE"})
  void aCallWaitsAndHasTheWorkDoneOnce(AfterException ending) throws Exception {
    Waiting waits =
        () -> assertThat(waiting().execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    whileRunning(ending, waits);
    assertThat(runs).hasValue(1);
  }

  @Test
  void aCallThatJoinsNeverDoesTheWork() throws Exception {
    Waiting joins =
        () ->
            assertThatThrownBy(
                    () ->
                        order
                            .whileRunning(WhileRunning.join(PATIENCE))
                            .execute(KEY, REQUEST, this::work))
                .isInstanceOf(AlreadyRunningException.class)
                .hasMessageContaining("joined");
    whileRunning(AfterException.RELEASE, joins);
    assertThat(runs).hasValue(0);
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    whileRunning(
        AfterException.REPLAY,
        () -> {
          Thread.currentThread().interrupt();
          assertThatThrownBy(() -> waiting().execute(KEY, REQUEST, this::work))
              .isInstanceOf(AlreadyRunningException.class);
          assertThat(Thread.interrupted()).isTrue();
        });
  }

  @Test
  void manyThreadsHaveOneExecution() throws Exception {
    IdempotentOperation<String> waits = waiting();
    List<Future<String>> calls = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      calls.add(threads.submit(() -> waits.execute(KEY, REQUEST, this::work)));
    }
    for (Future<String> call : calls) {
      assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("run 1");
    }
  }

  // ---- the work throws

  @Test
  void anExceptionGivesTheKeyBack() {
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, claim -> failing(new IOException("no"))))
        .isInstanceOf(IOException.class)
        .hasMessage("no")
        .hasNoSuppressedExceptions();
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
  }

  private static String failing(Exception e) throws Exception {
    throw e;
  }

  @ParameterizedTest
  @EnumSource(names = {"REPLAY", "POISON"})
  void anExceptionIsReplayed(AfterException policy) {
    IdempotentOperation<String> replays = order.afterException(e -> policy);
    assertThatThrownBy(() -> replays.execute(KEY, REQUEST, claim -> failing(new IOException("no"))))
        .isInstanceOf(IOException.class);
    ReplayedException e =
        catchThrowableOfType(
            ReplayedException.class, () -> replays.execute(KEY, REQUEST, this::work));
    assertThat(e.type()).isEqualTo("java.io.IOException");
    assertThat(e.originalMessage()).isEqualTo("no");
    assertThat(e.isPoisoned()).isEqualTo(policy == AfterException.POISON);
    assertThat(runs).hasValue(0);
  }

  @Test
  void anInterruptOrAnErrorLeavesAnUnknownOutcome() {
    assertThatThrownBy(
            () -> order.execute(KEY, REQUEST, claim -> failing(new InterruptedException())))
        .isInstanceOf(InterruptedException.class);
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
    Key other = Key.of("other");
    assertThatThrownBy(
            () ->
                order.execute(
                    other,
                    REQUEST,
                    claim -> {
                      throw new OutOfMemoryError("no");
                    }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> order.execute(other, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void aPolicyThatThrowsHidesNothing() {
    IdempotentOperation<String> bad =
        order.afterException(
            e -> {
              throw new IllegalArgumentException("the policy");
            });
    assertThatThrownBy(() -> bad.execute(KEY, REQUEST, claim -> crash()))
        .hasMessage("it crashed")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("the policy"));
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  // ---- unknown outcomes

  @Test
  void anUnknownOutcomeFailsUntilItIsForgotten() {
    lapse();
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContaining("order/alice/order-77");
    assertThat(order.forget(KEY)).isTrue();
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
  }

  @Test
  void anUnknownOutcomeIsRetried() {
    lapse();
    assertThat(order.onUnknown(OnUnknown.RETRY).execute(KEY, REQUEST, this::work))
        .isEqualTo("run 1");
  }

  @Test
  void anUnknownOutcomeIsReconciled() {
    lapse();
    assertThat(order.reconcile(claim -> Finding.done("found")).execute(KEY, REQUEST, this::work))
        .isEqualTo("found");
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("found");
    Key other = Key.of("other");
    assertThat(
            order
                .reconcile(claim -> Finding.done("never asked"))
                .execute(other, REQUEST, this::work))
        .isEqualTo("run 1");
  }

  @Test
  void whatWasNotDoneIsDone() {
    lapse();
    assertThat(order.reconcile(claim -> Finding.notDone()).execute(KEY, REQUEST, this::work))
        .isEqualTo("run 1");
  }

  @Test
  void whatCannotBeReconciledStaysUnknown() {
    lapse();
    assertThatThrownBy(
            () -> order.reconcile(claim -> Finding.unclear()).execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThatThrownBy(
            () ->
                order
                    .reconcile(
                        claim -> {
                          throw new IOException("no answer");
                        })
                    .execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasRootCauseMessage("no answer");
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThat(runs).hasValue(0);
  }

  // ---- lost replies

  @Test
  void aLostReplyToTheClaimIsAskedForAgain() {
    store.next(Fate.REPLY_LOST);
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    assertThat(store.asked).containsExactly("claim", "claim", "complete");
  }

  @Test
  void aLostReplyToATakeOverStillReconciles() {
    lapse();
    store.next(Fate.REPLY_LOST);
    assertThat(order.reconcile(claim -> Finding.done("found")).execute(KEY, REQUEST, this::work))
        .isEqualTo("found");
    assertThat(runs).hasValue(0);
  }

  @Test
  void aClaimWithoutAnswerIsGivenBack() {
    store.next(Fate.REPLY_LOST, Fate.REPLY_LOST);
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(StoreException.class);
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
  }

  @Test
  void aTakeOverWithoutAnswerIsNotGivenBack() {
    lapse();
    store.next(Fate.REPLY_LOST, Fate.REPLY_LOST);
    assertThatThrownBy(
            () -> order.reconcile(claim -> Finding.notDone()).execute(KEY, REQUEST, this::work))
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .as("else the next call would do work that may have been done")
        .isInstanceOf(AlreadyRunningException.class);
    clock.advance(Duration.ofMinutes(1));
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @ParameterizedTest
  @EnumSource(names = "ANSWERED", mode = EnumSource.Mode.EXCLUDE)
  void aLostReplyToTheCompletionIsAskedForAgain(Fate fate) {
    store.next(Fate.ANSWERED, fate, fate, fate);
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("run 1");
  }

  @Test
  void anInterruptedCallerStillStoresItsResult() {
    store.next(Fate.ANSWERED, Fate.REQUEST_LOST, Fate.REQUEST_LOST);
    String result =
        order.execute(
            KEY,
            REQUEST,
            claim -> {
              Thread.currentThread().interrupt();
              return work(claim);
            });
    assertThat(Thread.interrupted()).isTrue();
    // Else it would not pause, but ask as fast as it can
    assertThat(store.asked)
        .containsExactly("claim", "complete interrupted", "complete", "complete");
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo(result);
  }

  @Test
  void aResultThatTheStoreDoesNotTakeLeavesAnUnknownOutcome() {
    assertThatThrownBy(
            () ->
                order.execute(
                    KEY,
                    REQUEST,
                    claim -> {
                      clock.advance(Duration.ofMinutes(1));
                      store.next(Fate.REQUEST_LOST);
                      return work(claim);
                    }))
        .isInstanceOf(ResultUnavailableException.class)
        .hasCauseInstanceOf(StoreException.class);
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  // ---- stale owners

  @Test
  void aStaleOwnerOverwritesNothing() {
    AtomicBoolean held = new AtomicBoolean(true);
    AtomicReference<Long> token = new AtomicReference<>();
    assertThatThrownBy(
            () ->
                order.execute(
                    KEY,
                    REQUEST,
                    claim -> {
                      clock.advance(Duration.ofMinutes(1));
                      held.set(claim.isHeld());
                      token.set(claim.token());
                      order
                          .onUnknown(OnUnknown.RETRY)
                          .execute(
                              KEY,
                              REQUEST,
                              next -> {
                                assertThat(next.token()).isGreaterThan(token.get());
                                return "of the next";
                              });
                      return "stale";
                    }))
        .isInstanceOf(StaleClaimException.class);
    assertThat(held).isFalse();
    assertThat(order.execute(KEY, REQUEST, this::work)).isEqualTo("of the next");
  }

  @Test
  void aClaimIsExtendedWhileItsWorkRuns() {
    Idempotency quick =
        Idempotency.builder(new FaultyStore(IdempotencyStores.inMemory()))
            .claimLife(Duration.ofMillis(300))
            .build();
    FaultyStore asked = (FaultyStore) quick.store();
    try (quick) {
      quick.execute(
          "key",
          REQUEST,
          claim -> {
            await().atMost(PATIENCE).until(() -> Collections.frequency(asked.asked, "extend") >= 6);
            return "done";
          });
      assertThat(quick.execute("key", REQUEST, claim -> "again")).isEqualTo("done");
    }
  }

  // ---- results

  @Test
  void aResultTooLargeIsNotKeptAndTheWorkNotDoneAgain() {
    String large = "x".repeat(101);
    assertThat(order.execute(KEY, REQUEST, claim -> large)).isEqualTo(large);
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(ResultUnavailableException.class)
        .hasMessageContaining("101 bytes");
    assertThat(runs).hasValue(0);
  }

  @Test
  void aCodecThatFailsLeavesAnUnknownOutcome() {
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, claim -> "\ud83d"))
        .isInstanceOf(ResultUnavailableException.class);
    assertThat(store.asked).containsExactly("claim", "extend");
    assertThatThrownBy(() -> order.execute(KEY, REQUEST, this::work))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void whatACodecCannotReadIsNotDoneAgain() {
    order.execute(KEY, REQUEST, this::work);
    Codec<String> cannotRead =
        new Codec<>() {
          @Override
          public byte[] encode(String value) {
            return new byte[0];
          }

          @Override
          public String decode(byte[] bytes) {
            throw new IllegalStateException("of another version");
          }
        };
    assertThatThrownBy(
            () -> idempotency.operation("order", cannotRead).execute(KEY, REQUEST, this::work))
        .isInstanceOf(ResultUnavailableException.class)
        .hasMessageContaining("of another version");
    assertThat(runs).hasValue(1);
  }

  @Test
  void settingsAreChecked() {
    assertThatThrownBy(() -> Idempotency.builder(store).claimLife(Duration.ofMillis(99)))
        .hasMessageContaining("100 ms");
    assertThatThrownBy(() -> order.keep(Duration.ZERO)).hasMessageContaining("1 ms");
    assertThatThrownBy(() -> Idempotency.builder(store).maxResult(9 << 20))
        .hasMessageContaining("8388608");
    assertThatThrownBy(() -> idempotency.operation("", Codec.TEXT)).hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> idempotency.purge(0)).hasMessageContaining("at least one");
  }
}
