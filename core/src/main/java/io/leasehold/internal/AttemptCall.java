package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a contender: when it was sent, for how long, and its answer's way back. It is run
 * without the mutex.
 */
final class AttemptCall
    implements StoreCalls.Request,
        Supplier<CompletionStage<Attempt>>,
        StoreCalls.Answer<Attempt>,
        Consumer<Steps> {
  private final Contender contender;

  /** The caller it is made for, on whose thread it may run. */
  private final @Nullable Waiter caller;

  /** Whether it was given less time than an attempt has, for the sake of the thread it runs on. */
  private boolean shortened;

  private long within;
  private long sent;
  private long sentWall;

  /** What was answered in time. */
  private @Nullable Attempt answer;

  private @Nullable StoreException failure;

  AttemptCall(Contender contender, @Nullable Waiter caller) {
    this.contender = contender;
    this.caller = caller;
  }

  /** Sends it, unless its contender was abandoned before that. */
  @Override
  public void run() {
    Engine engine = contender.queue().engine;
    long left = engine.calls.timeLeft(caller);
    if (!contender.isAsking() || (left < StoreCalls.LEAST_AGAIN_NANOS && contender.hasAnswered())) {
      contender.queue().locked(contender::notSent);
      return;
    }
    long most = contender.timeForAttempt();
    within = Math.max(StoreCalls.LEAST_NANOS, Math.min(most, left));
    shortened = within < most && caller != null && caller.intent == Intent.QUEUE;
    engine.calls.call(this, within, this);
  }

  @Override
  public void runElsewhere() {
    Engine engine = contender.queue().engine;
    long answerIn = contender.timeForAnswer();
    long until = engine.clock.nanos() + answerIn;
    engine.calls.callElsewhere(Work.CALLER, () -> sendBy(until), answerIn, this);
  }

  /** Once a thread came free for it. */
  private CompletionStage<Attempt> sendBy(long until) {
    long left = until - contender.queue().engine.clock.nanos();
    if (!contender.isAsking() || left < StoreCalls.LEAST_NANOS) {
      return CompletableFuture.failedFuture(StoreCalls.notSent());
    }
    within = Math.min(contender.timeForAttempt(), left);
    return get();
  }

  @Override
  public CompletionStage<Attempt> get() {
    Engine engine = contender.queue().engine;
    sent = engine.clock.nanos();
    sentWall = engine.clock.wallMillis();
    return engine.store.attempt(contender.ticket, Duration.ofNanos(within));
  }

  long sent() {
    return sent;
  }

  boolean isShortened() {
    return shortened;
  }

  /**
   * Whether the store did nothing in all the time that it had, which may be much less than a
   * request timeout: a short ttl, and a connection that is still to be made. Not if its caller has
   * no more.
   */
  boolean wasTooSlow(StoreException failed) {
    return failed.failure() == Failure.UNAVAILABLE && !shortened && hasTakenItsTime();
  }

  private boolean hasTakenItsTime() {
    return contender.queue().engine.clock.nanos() - sent >= within / 4 * 3;
  }

  /** Whether it failed because its caller had no more time: that says nothing about the store. */
  boolean ranOutOfTime() {
    return shortened && (within < StoreCalls.LEAST_AGAIN_NANOS || hasTakenItsTime());
  }

  /** How long a lease stands that was granted by this attempt: from its sending. */
  Validity validity(Attempt.Granted granted) {
    return Validity.of(sent, sentWall, granted.remaining());
  }

  @Override
  public void now(@Nullable Attempt value, @Nullable StoreException failed) {
    answer = value;
    failure = failed;
    contender.queue().locked(this);
  }

  /** Takes what was answered in time. Under the mutex. */
  @Override
  public void accept(Steps steps) {
    contender.ended(failure, steps);
    contender.heard(this, answer, failure, steps);
  }

  @Override
  public void timedOut(StoreException failed) {
    contender.queue().locked(steps -> contender.heard(this, null, failed, steps));
  }

  @Override
  public void late(@Nullable Attempt value, @Nullable StoreException failed) {
    contender
        .queue()
        .locked(
            steps -> {
              if (value != null) {
                contender.heardLate();
              }
              contender.ended(failed, steps);
            });
  }
}
