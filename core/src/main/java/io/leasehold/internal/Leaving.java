package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Release;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A holder that lets its lease go: sends that to the store, if it must, and tells the holder how it
 * ended. Guarded by its queue's mutex where nothing else is said.
 */
final class Leaving
    implements Runnable, Supplier<CompletionStage<Release>>, StoreCalls.Answer<Release> {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  final Hold hold;

  /** Whether no request is made on the calling thread. */
  final boolean elsewhere;

  /** Whether its holder was told before: it is only to be sent. */
  private final boolean told;

  /** By when the store must have answered, on the monotonic clock; 0: it was not asked yet. */
  private long until;

  /** How the first answer was lost, once it is asked for again. */
  private @Nullable StoreException first;

  /** Whether the store has released it, and is asked again for what landed since. */
  private boolean released;

  /** Null until it has ended, or somebody asks for its end. Read without the mutex. */
  private volatile @Nullable CompletableFuture<Void> end;

  Leaving(Hold hold, boolean elsewhere) {
    this(hold, elsewhere, false);
  }

  private Leaving(Hold hold, boolean elsewhere, boolean told) {
    this.hold = hold;
    this.elsewhere = elsewhere;
    this.told = told;
  }

  /** The same lease, let go by the engine after its holder has: nothing is left to tell. */
  Leaving later() {
    return new Leaving(hold, true, true);
  }

  boolean isTold() {
    return told;
  }

  /** Sends it. Without the mutex. */
  @Override
  public void run() {
    Grant grant = hold.grant;
    Engine engine = grant.queue.engine;
    engine.keeper.remove(grant);
    begin();
    send();
  }

  private void send() {
    StoreCalls calls = hold.grant.queue.engine.calls;
    if (elsewhere) {
      calls.callOwn(Work.CALLER, this, timeLeft(), this);
    } else {
      calls.callHere(this, timeLeft(), this);
    }
  }

  /** One request timeout begins, for all that is asked before the holder is told. */
  void begin() {
    Engine engine = hold.grant.queue.engine;
    if (until == 0) {
      until = engine.clock.nanos() + engine.requestNanos;
    }
  }

  long timeLeft() {
    return Math.max(Budget.LEAST_NANOS, until - hold.grant.queue.engine.clock.nanos());
  }

  @Override
  public CompletionStage<Release> get() {
    Engine engine = hold.grant.queue.engine;
    long left = timeLeft();
    boolean whole = engine.requestNanos - left < Budget.LEAST_NANOS;
    return engine.store.release(
        hold.grant.ticket, whole ? engine.requestTimeout : Duration.ofNanos(left));
  }

  /** A lost reply is resolved by asking again: once at once, if there is time for it. */
  @Override
  public void now(@Nullable Release answer, @Nullable StoreException failed) {
    boolean unknown = failed != null && failed.failure() == Failure.UNKNOWN_OUTCOME;
    if (unknown && first == null && timeLeft() > Budget.LEAST_NANOS) {
      first = failed;
      send();
    } else {
      // Not held any more: by the first request, or lost before that
      boolean stillUnknown = first != null && answer == Release.NOT_HELD && !released;
      sentBack(stillUnknown ? null : answer, stillUnknown ? first : failed);
    }
  }

  /** It is released; an attempt that ended late may have been granted its id anew after that. */
  boolean sendsAgain(Steps steps) {
    if (released) {
      return false;
    }
    released = true;
    steps.add(this::send);
    return true;
  }

  /** Whether a request before the last has released it. */
  boolean isReleased() {
    return released;
  }

  @Override
  public void timedOut(StoreException failed) {
    sentBack(null, failed);
  }

  private void sentBack(@Nullable Release answer, @Nullable StoreException failed) {
    Grant grant = hold.grant;
    grant.queue.locked(steps -> grant.queue.engine.releaser.sentBack(grant, answer, failed, steps));
  }

  /** It has ended: well, or with what the holder is to be told. */
  void end(@Nullable RuntimeException failure, Steps steps) {
    CompletableFuture<Void> asked = end;
    if (asked == null) {
      end = failure == null ? DONE : CompletableFuture.failedFuture(failure);
    } else if (failure == null) {
      steps.add(() -> asked.complete(null));
    } else {
      steps.add(() -> asked.completeExceptionally(failure));
    }
  }

  /** Completes once it has ended. Without the mutex. */
  CompletableFuture<Void> end() {
    CompletableFuture<Void> known = end;
    return known != null ? known : hold.grant.queue.compute(steps -> endAsked());
  }

  private CompletableFuture<Void> endAsked() {
    CompletableFuture<Void> asked = end;
    if (asked == null) {
      asked = new CompletableFuture<>();
      end = asked;
    }
    return asked;
  }
}
