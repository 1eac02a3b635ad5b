package io.leasehold.internal;

import io.leasehold.LeaseLostException;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one name that this process has: begun, handed over, let go, or lost. At most one of
 * them is local-first, the current one; leases of fair callers stand beside it. Guarded by its
 * queue's mutex.
 */
final class Leases {
  private final NameQueue queue;
  private final Engine engine;
  private final Set<Grant> live = new LinkedHashSet<>(2);
  private @Nullable Grant current;

  Leases(NameQueue queue) {
    this.queue = queue;
    this.engine = queue.engine;
  }

  boolean isEmpty() {
    return live.isEmpty();
  }

  /** The lease that local-first callers hand on; null if there is none. */
  @Nullable Grant current() {
    return current;
  }

  void begin(Grant grant, Waiter waiter, Steps steps) {
    live.add(grant);
    if (!grant.terms.fair()) {
      current = grant;
    }
    loseOlder(grant, steps);
    queue.seenBusy();
    give(grant, waiter, 0, steps);
    engine.keeper.add(grant);
  }

  /** The store has granted a higher number: what it granted here before cannot stand any more. */
  private void loseOlder(Grant grant, Steps steps) {
    for (Grant older : List.copyOf(live)) {
      if (older.number < grant.number && older.ticket.mode() == LockMode.EXCLUSIVE) {
        lose(older, Reason.GONE, steps);
      }
    }
  }

  private void give(Grant grant, Waiter waiter, int handOver, Steps steps) {
    Hold hold = new Hold(engine, grant, handOver, waiter);
    grant.holdBy(hold);
    engine.events.emit(
        () ->
            new LockEvent.Acquired(
                queue.name, hold.leaseId(), hold.tokenOrZero(), engine.since(waiter.since)));
    queue.handedTo(waiter, hold, steps);
  }

  /** Once for each lease: a loop of timed tries would fill the log. */
  void warnOfSelfDeadlock(Waiter waiter, Steps steps) {
    Thread thread = waiter.thread;
    if (current == null || thread == null || !current.hold().beginsToWaitForItself(thread)) {
      return;
    }
    String warning =
        "lock '"
            + queue.name
            + "': thread "
            + thread.getName()
            + " waits for a lock that it holds itself by another handle;"
            + " use withLock or asLock where re-entry is meant";
    steps.add(() -> Log.warn(warning));
    engine.events.emit(() -> new LockEvent.LikelySelfDeadlock(queue.name, thread.getName()));
  }

  // ---- release

  CompletableFuture<Void> release(Hold hold) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.locked(steps -> release(hold, done, steps));
    return done;
  }

  private void release(Hold hold, CompletableFuture<Void> done, Steps steps) {
    Grant grant = hold.grant;
    long now = engine.clock.nanos();
    if (hold.isOpen()) {
      expire(grant, steps);
    }
    if (!hold.endReleased()) {
      finish(done, hold.isLost() ? hold.lost("; it was released too late") : null, steps);
      return;
    }
    grant.letGo = done;
    Waiter next = handOverTarget(grant, now);
    if (next == null) {
      sendBack(grant, hold, steps);
    } else if (grant.isWanted() || grant.hasFreshWord(now)) {
      handOver(grant, hold, next, steps);
    } else {
      grant.phase = Phase.REFRESHING;
      steps.add(() -> refresh(grant, hold));
    }
  }

  /** A compatible caller that waits here; null if the lease may not be handed over now. */
  private @Nullable Waiter handOverTarget(Grant grant, long now) {
    return grant.mayBeHandedOver(now, engine.handOverNanos) ? queue.nextFor(grant) : null;
  }

  private void handOver(Grant grant, Hold from, Waiter to, Steps steps) {
    grant.phase = Phase.HELD;
    released(from);
    give(grant, to, grant.nextHandOver(), steps);
    engine.keeper.attend(grant);
    finishLetGo(grant, null, steps);
  }

  /**
   * Asks the store whether somebody else waits by now: its last word is too old to hand over on.
   * Without the mutex.
   */
  private void refresh(Grant grant, Hold from) {
    long sent = engine.clock.nanos();
    long sentWall = engine.clock.wallMillis();
    engine.calls.<Renewal>call(
        () -> engine.keeper.renewOne(grant),
        engine.requestNanos,
        (answer, failed) ->
            queue.locked(
                steps -> {
                  if (grant.phase == Phase.REFRESHING && answer != null) {
                    engine.keeper.answered(grant, answer, sent, sentWall, steps);
                  }
                  refreshed(grant, from, steps);
                }));
  }

  private void refreshed(Grant grant, Hold from, Steps steps) {
    if (grant.phase != Phase.REFRESHING) {
      return;
    }
    long now = engine.clock.nanos();
    boolean heard = grant.hasFreshWord(now) || grant.isWanted();
    Waiter next = heard ? handOverTarget(grant, now) : null;
    if (next == null) {
      sendBack(grant, from, steps);
    } else {
      handOver(grant, from, next, steps);
    }
  }

  private void sendBack(Grant grant, Hold hold, Steps steps) {
    grant.phase = Phase.RELEASING;
    steps.add(
        () -> {
          // Renewal ends before the release is sent, so that none can outlive it.
          engine.keeper.remove(grant);
          engine.calls.<Release>call(
              () -> engine.store.release(grant.ticket, engine.requestTimeout),
              engine.requestNanos,
              (answer, failed) ->
                  queue.locked(then -> sentBack(grant, hold, answer, failed, then)));
        });
  }

  private void sentBack(
      Grant grant,
      Hold hold,
      @Nullable Release answer,
      @Nullable StoreException failed,
      Steps steps) {
    RuntimeException outcome = null;
    if (failed != null) {
      engine.events.emit(() -> new LockEvent.UnknownOutcome(queue.name, hold.leaseId(), "release"));
      outcome =
          Failures.of(
              failed,
              queue.name,
              "not known to be released; that is repeated in the background, and the ttl ends the lease");
    } else if (answer == Release.NOT_HELD) {
      LeaseLostException gone = hold.lost(Reason.GONE, " when it was released");
      lost(hold, Reason.GONE, steps);
      outcome = gone;
    } else {
      released(hold);
    }
    grant.from.settle(failed != null, steps);
    end(grant);
    if (grant.isWanted() && !engine.isClosed()) {
      queue.yieldToOthers();
    }
    queue.pump(steps);
    finishLetGo(grant, outcome, steps);
  }

  private void end(Grant grant) {
    queue.seenBusy();
    grant.phase = Phase.ENDED;
    live.remove(grant);
    if (current == grant) {
      current = null;
    }
  }

  private static void finishLetGo(Grant grant, @Nullable RuntimeException outcome, Steps steps) {
    CompletableFuture<Void> done = grant.letGo;
    grant.letGo = null;
    if (done != null) {
      finish(done, outcome, steps);
    }
  }

  private static void finish(
      CompletableFuture<Void> done, @Nullable RuntimeException outcome, Steps steps) {
    steps.add(
        () -> {
          if (outcome == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(outcome);
          }
        });
  }

  // ---- loss

  /** Ends the lease if its validity or its holder's longest life is over. */
  void expire(Grant grant, Steps steps) {
    long now = engine.clock.nanos();
    if (grant.phase == Phase.HELD && grant.hold().hasLivedLongest(now)) {
      lose(grant, Reason.MAX_HOLD, steps);
    } else if (grant.validity().isOver(now)) {
      lose(grant, Reason.EXPIRED, steps);
    }
  }

  void lose(Grant grant, Reason reason, Steps steps) {
    if (grant.phase == Phase.ENDED || grant.phase == Phase.RELEASING) {
      return;
    }
    Hold hold = grant.hold();
    boolean refreshing = grant.phase == Phase.REFRESHING;
    if (hold.endLost(reason, steps) || refreshing) {
      lost(hold, reason, steps);
    }
    end(grant);
    steps.add(() -> engine.keeper.remove(grant));
    grant.from.settle(reason == Reason.EXPIRED || reason == Reason.MAX_HOLD, steps);
    if (refreshing) {
      finishLetGo(grant, hold.lost(reason, " when it was released"), steps);
    }
    queue.pump(steps);
  }

  void endanger(Grant grant) {
    Hold hold = grant.hold();
    if (grant.phase == Phase.HELD && hold.endanger()) {
      Duration left = hold.remaining();
      engine.events.emit(
          () -> new LockEvent.Jeopardy(queue.name, hold.leaseId(), hold.tokenOrZero(), left));
    }
  }

  /** Lets every lease go; nothing is handed over any more. */
  void close(Steps steps) {
    for (Grant grant : List.copyOf(live)) {
      // Each on its own: a silent store must not keep the caller of close.
      steps.add(() -> engine.dispatch.background(grant.hold()::releaseUnwatched));
    }
  }

  // ---- events

  private void released(Hold hold) {
    engine.events.emit(
        () ->
            new LockEvent.Released(
                queue.name, hold.leaseId(), hold.tokenOrZero(), engine.since(hold.since)));
  }

  private void lost(Hold hold, Reason reason, Steps steps) {
    steps.add(() -> Log.warn(String.valueOf(hold.lost(reason, "").getMessage())));
    engine.events.emit(
        () -> new LockEvent.Lost(queue.name, hold.leaseId(), hold.tokenOrZero(), reason));
  }
}
