package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One request to be granted: when it was sent, for how long, and its answer's way back. It is run
 * without the mutex.
 */
abstract class AttemptCall<T>
    implements StoreCalls.Request, Supplier<CompletionStage<T>>, StoreCalls.Answer<T> {
  final NameQueue queue;

  /** The caller it is made for, on whose thread it may run. */
  private final @Nullable Waiter caller;

  /** Whether it was given less time than an attempt has, for the sake of the thread it runs on. */
  private boolean shortened;

  private long within;
  private long sent;
  private long sentWall;

  private AttemptCall(NameQueue queue, @Nullable Waiter caller) {
    this.queue = queue;
    this.caller = caller;
  }

  /** Sends it, unless all it asks for was abandoned before that. */
  @Override
  public final void run() {
    Engine engine = queue.engine;
    long left = engine.calls.timeLeft(caller);
    if (!isAsking() || (left < StoreCalls.LEAST_AGAIN_NANOS && hasAnswered())) {
      queue.locked(this::notSent);
      return;
    }
    long most = timeForAttempt();
    within = Math.max(StoreCalls.LEAST_NANOS, Math.min(most, left));
    shortened = within < most && caller != null && caller.intent == Intent.QUEUE;
    engine.calls.call(this, within, this);
  }

  @Override
  public final void runElsewhere() {
    Engine engine = queue.engine;
    long answerIn = timeForAnswer();
    long until = engine.clock.nanos() + answerIn;
    engine.calls.callElsewhere(Work.CALLER, () -> sendBy(until), answerIn, this);
  }

  /** Once a thread came free for it. */
  private CompletionStage<T> sendBy(long until) {
    long left = until - queue.engine.clock.nanos();
    if (!isAsking() || left < StoreCalls.LEAST_NANOS) {
      return CompletableFuture.failedFuture(StoreCalls.notSent());
    }
    within = Math.min(timeForAttempt(), left);
    return get();
  }

  @Override
  public final CompletionStage<T> get() {
    sent = queue.engine.clock.nanos();
    sentWall = queue.engine.clock.wallMillis();
    return send(Duration.ofNanos(within));
  }

  final long sent() {
    return sent;
  }

  final boolean isShortened() {
    return shortened;
  }

  /**
   * Whether the store did nothing in all the time that it had, which may be much less than a
   * request timeout: a short ttl, and a connection that is still to be made. Not if its caller has
   * no more.
   */
  final boolean wasTooSlow(StoreException failed) {
    return failed.failure() == Failure.UNAVAILABLE && !shortened && hasTakenItsTime();
  }

  private boolean hasTakenItsTime() {
    return queue.engine.clock.nanos() - sent >= within / 4 * 3;
  }

  /** Whether it failed because its caller had no more time: that says nothing about the store. */
  final boolean ranOutOfTime() {
    return shortened && (within < StoreCalls.LEAST_AGAIN_NANOS || hasTakenItsTime());
  }

  /** How long a lease stands that was granted by this attempt: from its sending. */
  final Validity validity(Attempt.Granted granted) {
    return Validity.of(sent, sentWall, granted.remaining());
  }

  /** Whether an answer is still wanted. Without the mutex, as all that follow it. */
  abstract boolean isAsking();

  /** Whether the store has answered an attempt before. */
  abstract boolean hasAnswered();

  /** How long it may take if it is sent now. */
  abstract long timeForAttempt();

  /** In which it must be answered if it waits for a thread first. */
  abstract long timeForAnswer();

  abstract CompletionStage<T> send(Duration within);

  /** Under the mutex. */
  abstract void notSent(Steps steps);

  // ---- for one

  /** An attempt of one contender. */
  static class One extends AttemptCall<Attempt> implements Mutex.Event {
    final Contender contender;

    /** What was answered in time. */
    private @Nullable Attempt answer;

    private @Nullable StoreException failure;

    One(Contender contender, @Nullable Waiter caller) {
      super(contender.queue(), caller);
      this.contender = contender;
    }

    /** It is answered, or not expected to be any more. Under the mutex. */
    void answered(@Nullable StoreException failed, Steps steps) {}

    @Override
    boolean isAsking() {
      return contender.isAsking();
    }

    @Override
    boolean hasAnswered() {
      return contender.hasAnswered();
    }

    @Override
    long timeForAttempt() {
      return contender.timeForAttempt();
    }

    @Override
    long timeForAnswer() {
      return contender.timeForAnswer();
    }

    @Override
    CompletionStage<Attempt> send(Duration within) {
      return queue.engine.store.attempt(contender.ticket, within);
    }

    @Override
    void notSent(Steps steps) {
      contender.notSent(steps);
      answered(null, steps);
    }

    @Override
    public void now(@Nullable Attempt value, @Nullable StoreException failed) {
      answer = value;
      failure = failed;
      queue.locked(this);
    }

    /** Takes what was answered in time. Under the mutex. */
    @Override
    public void happen(Steps steps) {
      contender.ended(failure, steps);
      answered(failure, steps);
      contender.heard(this, answer, failure, steps);
    }

    @Override
    public void timedOut(StoreException failed) {
      queue.locked(
          steps -> {
            answered(failed, steps);
            contender.heard(this, null, failed, steps);
          });
    }

    @Override
    public void late(@Nullable Attempt value, @Nullable StoreException failed) {
      queue.locked(
          steps -> {
            if (value != null) {
              contender.heardLate();
            }
            contender.ended(failed, steps);
          });
    }
  }

  /** The first attempt of a fair contender, if it is the only one that asks for its place. */
  static final class First extends One {
    First(Contender contender, @Nullable Waiter caller) {
      super(contender, caller);
    }

    @Override
    long timeForAttempt() {
      return contender.timeForFirstAttempt();
    }

    /** Before it is heard, so that the next request goes out before what the answer leads to. */
    @Override
    void answered(@Nullable StoreException failed, Steps steps) {
      queue.callers.arrivals().answered(1, failed, steps);
    }
  }

  // ---- for several

  /** The first attempts of several fair contenders of a name. */
  static final class Several extends AttemptCall<List<Attempt>> {
    private final List<Contender> contenders;

    /** Those that were still asking when it was sent. */
    private volatile List<Contender> asking = List.of();

    Several(List<Contender> contenders, @Nullable Waiter caller) {
      super(contenders.get(0).queue(), caller);
      this.contenders = contenders;
    }

    @Override
    boolean isAsking() {
      for (Contender each : contenders) {
        if (each.isAsking()) {
          return true;
        }
      }
      return false;
    }

    @Override
    boolean hasAnswered() {
      return false;
    }

    @Override
    long timeForAttempt() {
      return least(Contender::timeForFirstAttempt);
    }

    @Override
    long timeForAnswer() {
      return least(Contender::timeForAnswer);
    }

    private long least(ToLongFunction<Contender> time) {
      long least = Long.MAX_VALUE;
      for (Contender each : contenders) {
        least = Math.min(least, time.applyAsLong(each));
      }
      return least;
    }

    @Override
    CompletionStage<List<Attempt>> send(Duration within) {
      List<Contender> asked = new ArrayList<>(contenders.size());
      List<Ticket> tickets = new ArrayList<>(contenders.size());
      for (Contender each : contenders) {
        if (each.isAsking()) {
          asked.add(each);
          tickets.add(each.ticket);
        }
      }
      asking = asked;
      if (asked.isEmpty()) {
        return CompletableFuture.failedFuture(StoreCalls.notSent());
      }
      return asked.size() == 1
          ? queue.engine.store.attempt(tickets.get(0), within).thenApply(List::of)
          : queue.engine.store.attempt(tickets, within);
    }

    @Override
    void notSent(Steps steps) {
      contenders.forEach(contender -> contender.notSent(steps));
      queue.callers.arrivals().answered(contenders.size(), null, steps);
    }

    @Override
    public void now(@Nullable List<Attempt> answers, @Nullable StoreException failed) {
      queue.locked(
          steps -> {
            ended(failed, steps);
            heard(answers, failed, steps);
          });
    }

    private void ended(@Nullable StoreException failed, Steps steps) {
      for (Contender contender : contenders) {
        contender.ended(asking.contains(contender) ? failed : null, steps);
      }
    }

    private void heard(
        @Nullable List<Attempt> answers, @Nullable StoreException failed, Steps steps) {
      // First, so that the next request goes out before what the answers lead to
      queue.callers.arrivals().answered(contenders.size(), failed, steps);
      List<Contender> asked = asking.isEmpty() ? contenders : asking;
      for (int i = 0; i < asked.size(); i++) {
        asked.get(i).heard(this, answers == null ? null : answers.get(i), failed, steps);
      }
    }

    @Override
    public void timedOut(StoreException failed) {
      queue.locked(steps -> heard(null, failed, steps));
    }

    @Override
    public void late(@Nullable List<Attempt> answers, @Nullable StoreException failed) {
      queue.locked(
          steps -> {
            if (answers != null) {
              asking.forEach(Contender::heardLate);
            }
            ended(failed, steps);
          });
    }
  }
}
