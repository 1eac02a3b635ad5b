package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a contender: when it was sent, for how long, and its answer's way back. It is run
 * without the mutex.
 */
final class AttemptCall
    implements Runnable, Supplier<CompletionStage<Attempt>>, StoreCalls.Answer<Attempt> {
  private final Contender contender;

  /** The caller it is made for, on whose thread it may run. */
  private final @Nullable Waiter caller;

  /** Whether it was given less time than an attempt has, for the sake of the thread it runs on. */
  private boolean shortened;

  private long within;
  private long sent;
  private long sentWall;

  AttemptCall(Contender contender, @Nullable Waiter caller) {
    this.contender = contender;
    this.caller = caller;
  }

  /** Sends it, unless its contender was abandoned before that. */
  @Override
  public void run() {
    if (!contender.isAsking()) {
      contender.queue().locked(contender::notSent);
      return;
    }
    Engine engine = contender.queue().engine;
    long most = contender.timeForAttempt();
    long left = engine.dispatch.timeLeft(caller);
    within = Math.max(Budget.LEAST_NANOS, Math.min(most, left));
    shortened = within < most;
    sent = engine.clock.nanos();
    sentWall = engine.clock.wallMillis();
    engine.calls.call(this, within, this);
  }

  @Override
  public CompletionStage<Attempt> get() {
    return contender.queue().engine.store.attempt(contender.ticket, Duration.ofNanos(within));
  }

  boolean isShortened() {
    return shortened;
  }

  /** How long a lease stands that was granted by this attempt: from its sending. */
  Validity validity(Attempt.Granted granted) {
    return Validity.of(sent, sentWall, granted.remaining());
  }

  @Override
  public void now(@Nullable Attempt answer, @Nullable StoreException failed) {
    contender
        .queue()
        .locked(
            steps -> {
              contender.ended(failed, steps);
              contender.heard(this, answer, failed, steps);
            });
  }

  @Override
  public void timedOut(StoreException failed) {
    contender.queue().locked(steps -> contender.heard(this, null, failed, steps));
  }

  @Override
  public void late(@Nullable Attempt answer, @Nullable StoreException failed) {
    contender
        .queue()
        .locked(
            steps -> {
              if (answer != null) {
                contender.heardLate();
              }
              contender.ended(failed, steps);
            });
  }
}
