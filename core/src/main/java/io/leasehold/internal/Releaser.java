package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a lease that its last holder lets go: handed over to a caller of this process, or
 * sent back to the store. Guarded by its queue's mutex.
 */
final class Releaser {
  private final Engine engine;

  Releaser(Engine engine) {
    this.engine = engine;
  }

  void release(Leaving leaving, Steps steps) {
    Hold hold = leaving.hold;
    Grant grant = hold.grant;
    if (!hold.endReleased()) {
      leaving.end(hold.isLost() ? hold.lost("; it was released too late") : null, steps);
      return;
    }
    grant.letGo(hold);
    if (grant.isHeld()) {
      released(hold);
      leaving.end(null, steps);
      return;
    }
    grant.leaving = leaving;
    long now = engine.clock.nanos();
    if (grant.keptUntil().isAhead(now)) {
      keep(grant, steps);
      return;
    }
    Waiter next = grant.run == null ? handOverTarget(grant, now) : grant.run.next(now);
    if (next == null) {
      sendBack(grant, steps);
    } else if (grant.run != null || grant.isWanted() || grant.hasFreshWord(now)) {
      handOver(grant, next, steps);
    } else {
      grant.phase = Phase.REFRESHING;
      steps.add(() -> refresh(grant, leaving));
    }
  }

  /** A compatible caller that waits here; null if the lease may not be handed over now. */
  private @Nullable Waiter handOverTarget(Grant grant, long now) {
    Waiter next = grant.queue.nextFor(grant);
    return next != null && grant.mayBeHandedOver(now) ? next : null;
  }

  private void handOver(Grant grant, Waiter to, Steps steps) {
    grant.phase = Phase.HELD;
    Leaving leaving = leaving(grant);
    released(leaving.hold);
    grant.queue.leases.giveOn(grant, to, steps);
    leaving.end(null, steps);
  }

  /**
   * Asks the store whether another waits by now: its last word is too old to hand over on. Leaves
   * half of the holder's time to the release. Without the mutex.
   */
  private void refresh(Grant grant, Leaving leaving) {
    leaving.begin();
    long within = engine.requestNanos / 2;
    long sent = engine.clock.nanos();
    long sentWall = engine.clock.wallMillis();
    Supplier<CompletionStage<Renewal>> ask =
        () -> engine.keeper.renewOne(grant, Duration.ofNanos(within));
    StoreCalls.Answer<Renewal> answered =
        (answer, failed) ->
            grant.queue.locked(
                steps -> {
                  if (grant.phase == Phase.REFRESHING && answer != null) {
                    engine.keeper.answered(grant, answer, sent, sentWall, steps);
                  }
                  refreshed(grant, steps);
                });
    leaving.ask(ask, within, answered);
  }

  private void refreshed(Grant grant, Steps steps) {
    if (grant.phase != Phase.REFRESHING) {
      return;
    }
    long now = engine.clock.nanos();
    boolean heard = grant.hasFreshWord(now) || grant.isWanted();
    Waiter next = heard ? handOverTarget(grant, now) : null;
    if (next == null) {
      sendBack(grant, steps);
    } else {
      handOver(grant, next, steps);
    }
  }

  // ---- a lease that stays in the store for its min hold

  private void keep(Grant grant, Steps steps) {
    grant.leaving();
    long missing = grant.keptUntil().at() - grant.validity().until();
    if (missing <= 0) {
      kept(grant, null, steps);
    } else {
      steps.add(() -> prolong(grant, true));
    }
  }

  /** Makes it stand for so long in the store, whatever becomes of this process. */
  private void prolong(Grant grant, boolean first) {
    Leaving leaving = requireNonNull(grant.leaving);
    leaving.begin();
    engine.keeper.remove(grant);
    long within = first ? engine.requestNanos / 2 : leaving.timeLeft();
    long left = grant.keptUntil().left(engine.clock.nanos());
    Ticket longer = grant.ticket.withTtl(Terms.ttlFor(left + left / 100, engine.traits));
    Supplier<CompletionStage<Renewal>> ask =
        () -> engine.keeper.renewOne(grant, longer, Duration.ofNanos(within));
    StoreCalls.Answer<Renewal> answered =
        (answer, failed) -> {
          boolean unknown = failed != null && failed.failure() == Failure.UNKNOWN_OUTCOME;
          if (unknown && first) {
            prolong(grant, false);
          } else {
            grant.queue.locked(steps -> prolonged(grant, answer, failed, steps));
          }
        };
    leaving.ask(ask, within, answered);
  }

  private void prolonged(
      Grant grant, @Nullable Renewal answer, @Nullable StoreException failed, Steps steps) {
    if (answer instanceof Renewal.Gone) {
      sentBack(grant, Release.NOT_HELD, null, steps);
    } else {
      kept(grant, failed, steps);
    }
  }

  /** Its holder is told; the lease itself goes back when its min hold is over. */
  private void kept(Grant grant, @Nullable StoreException failed, Steps steps) {
    Leaving leaving = leaving(grant);
    Hold hold = leaving.hold;
    engine.keeper.remove(grant);
    grant.leaving = leaving.later();
    grant.kept =
        engine.scheduler.schedule(
            () -> grant.queue.locked(then -> letGoOfKept(grant, then)),
            Math.max(0, grant.keptUntil().left(engine.clock.nanos())));
    if (engine.isClosed()) {
      forgetKept(grant, steps);
    }
    if (failed == null) {
      released(hold);
      leaving.end(null, steps);
    } else {
      tellUnknown(hold);
      leaving.end(
          Failures.of(
              failed, hold.name(), "released, but not known to stay locked for its min hold"),
          steps);
    }
  }

  private void letGoOfKept(Grant grant, Steps steps) {
    Leaving leaving = grant.leaving;
    if (grant.phase == Phase.RELEASING && leaving != null) {
      grant.kept = null;
      steps.add(leaving);
    }
  }

  /** The client closes: the store lets it go by itself, and not before. */
  void forgetKept(Grant grant, Steps steps) {
    if (grant.kept != null) {
      if (grant.run != null) {
        grant.run.settle(true, steps);
      }
      grant.kept.cancel();
      grant.kept = null;
      grant.leaving = null;
      grant.queue.leases.end(grant);
    }
  }

  private void tellUnknown(Hold hold) {
    engine.events.emit(() -> new LockEvent.UnknownOutcome(hold.name(), hold.leaseId(), "release"));
  }

  // ---- a lease that goes back to the store

  private void sendBack(Grant grant, Steps steps) {
    grant.leaving();
    // Until here it kept others waiting; later callers learn that from the store's answer only
    grant.queue.seenBusy();
    steps.add(requireNonNull(grant.leaving));
  }

  /** The store has answered the release, or failed. */
  void sentBack(
      Grant grant, @Nullable Release answer, @Nullable StoreException failed, Steps steps) {
    if (answer == Release.RELEASED && grant.endedLate() && asked(grant).sendsAgain(steps)) {
      return;
    }
    Leaving leaving = leaving(grant);
    Hold hold = leaving.hold;
    RuntimeException outcome = null;
    if (failed != null) {
      tellUnknown(hold);
      outcome =
          Failures.of(
              failed,
              hold.name(),
              "not known to be released; that is repeated in the background, and the ttl ends the lease");
    } else if (!leaving.isTold() && answer == Release.NOT_HELD && !leaving.isReleased()) {
      LeaseLostException gone = hold.lost(Reason.GONE, " when it was released");
      grant.queue.leases.lost(hold, Reason.GONE, steps);
      outcome = gone;
    } else if (!leaving.isTold()) {
      released(hold);
    }
    // What is not held may wait there: an attempt that landed after the lease was gone.
    grant.settle(failed != null || answer == Release.NOT_HELD, steps);
    if (failed == null) {
      grant.queue.seenBusy();
    }
    grant.queue.leases.end(grant);
    if (grant.isWanted() && !engine.isClosed()) {
      grant.queue.yieldToOthers();
    }
    leaving.end(outcome, steps);
  }

  /** The lease was lost while the store was asked whether it may be handed over. */
  void lost(Grant grant, Reason reason, Steps steps) {
    Leaving leaving = leaving(grant);
    Hold hold = leaving.hold;
    grant.queue.leases.lost(hold, reason, steps);
    leaving.end(hold.lost(reason, " when it was released"), steps);
  }

  /** Takes it out: it ends once. */
  private static Leaving leaving(Grant grant) {
    Leaving leaving = asked(grant);
    grant.leaving = null;
    return leaving;
  }

  private static Leaving asked(Grant grant) {
    return requireNonNull(grant.leaving);
  }

  private void released(Hold hold) {
    if (hold.wasClosed()) {
      return;
    }
    Flight.held(hold, null);
    engine.events.emit(
        () -> new LockEvent.Released(hold.name(), hold.leaseId(), hold.tokenOrZero(), hold.age()));
  }

  /**
   * A holder that lets its lease go: sends that to the store, if it must, and tells the holder how
   * it ended. Guarded by its queue's mutex where nothing else is said.
   */
  static final class Leaving
      implements Runnable,
          Supplier<CompletionStage<Release>>,
          StoreCalls.Answer<Release>,
          Mutex.Event {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    final Hold hold;

    /** Whether no request is made on the calling thread. */
    final boolean elsewhere;

    /** Whether its holder was told before: it is only to be sent. */
    private final boolean told;

    /** By when the store must have answered, on the monotonic clock; 0: it was not asked yet. */
    private long until;

    /** Whether the first answer was lost, and it is asked for again. */
    private boolean repeated;

    /** Whether the store has released it, and is asked again for what landed since. */
    private boolean released;

    /** What the store has answered; both null before that. */
    private @Nullable Release answer;

    private @Nullable StoreException failure;

    /** Null until it has ended, or its end is asked for. Read without the mutex. */
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
      long within = timeLeft();
      if (elsewhere || !calls.mayCallHere()) {
        ask(this, within, this);
        return;
      }
      CompletionStage<Release> stage;
      try {
        stage = get();
      } catch (RuntimeException | Error e) {
        stage = calls.failed(e);
      }
      calls.await(stage, within, this);
    }

    /** Asks the store for the sake of the holder that leaves: on its thread, if it may. */
    <T> void ask(Supplier<CompletionStage<T>> verb, long withinNanos, StoreCalls.Answer<T> answer) {
      StoreCalls calls = hold.grant.queue.engine.calls;
      if (elsewhere) {
        calls.callOwn(Work.CALLER, verb, withinNanos, answer);
      } else {
        calls.callHere(verb, withinNanos, answer);
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
      return Math.max(StoreCalls.LEAST_NANOS, until - hold.grant.queue.engine.clock.nanos());
    }

    @Override
    public CompletionStage<Release> get() {
      Engine engine = hold.grant.queue.engine;
      long left = timeLeft();
      boolean whole = engine.requestNanos - left < StoreCalls.LEAST_NANOS;
      Duration within = whole ? engine.requestTimeout : Duration.ofNanos(left);
      Grant grant = hold.grant;
      return grant.run == null || grant.run.served().isEmpty()
          ? engine.store.release(grant.ticket, within)
          : engine.store.release(grant.ticket, grant.run.served(), within);
    }

    /** A lost reply is resolved by asking again: once at once, if there is time for it. */
    @Override
    public void now(@Nullable Release value, @Nullable StoreException failed) {
      boolean unknown = failed != null && failed.failure() == Failure.UNKNOWN_OUTCOME;
      if (unknown && !repeated && timeLeft() > StoreCalls.LEAST_NANOS) {
        repeated = true;
        send();
      } else {
        // Not held any more: by the first request, or lost before that
        boolean stillUnknown = repeated && value == Release.NOT_HELD && !released;
        sentBack(stillUnknown ? null : value, stillUnknown ? lost() : failed);
      }
    }

    private static StoreException lost() {
      return new StoreException(
          Failure.UNKNOWN_OUTCOME, "the answer was lost, and a repeat found it not held", null);
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

    private void sentBack(@Nullable Release value, @Nullable StoreException failed) {
      answer = value;
      failure = failed;
      hold.grant.queue.locked(this);
    }

    /** The holder lets go, and then: the store has answered. Under the mutex. */
    @Override
    public void happen(Steps steps) {
      Grant grant = hold.grant;
      Releaser releaser = grant.queue.engine.releaser;
      if (answer != null || failure != null) {
        releaser.sentBack(grant, answer, failure, steps);
        return;
      }
      if (hold.isOpen()) {
        grant.queue.leases.expire(grant, steps);
      }
      releaser.release(this, steps);
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
}
