package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.internal.Releaser.Leaving;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one name that this process has: begun, joined by readers, or lost. One that
 * local-first callers took alone, or share, is the current one; leases of fair callers and of
 * permits stand beside it, and so does a shared one that no further reader may join. Guarded by its
 * queue's mutex.
 */
final class Leases {
  private final NameQueue queue;

  /** The newest of them; the others follow it. */
  private @Nullable Grant newest;

  private @Nullable Grant current;

  Leases(NameQueue queue) {
    this.queue = queue;
  }

  boolean isEmpty() {
    return current == null && newest == null;
  }

  /** Any one of them; null if there is none. */
  @Nullable Grant any() {
    return newest;
  }

  /** All of them; a copy. */
  private List<Grant> all() {
    List<Grant> all = new ArrayList<>();
    for (Grant grant = newest; grant != null; grant = grant.next) {
      all.add(grant);
    }
    return all;
  }

  /** The lease that local-first callers hand on or join; null if there is none. */
  @Nullable Grant current() {
    return current;
  }

  /** Whether a caller cannot get the lock before the current lease has changed. */
  boolean block(Waiter waiter) {
    Grant grant = current;
    if (grant == null) {
      return false;
    }
    boolean shared = grant.ticket.mode() == LockMode.SHARED;
    boolean mayJoinSoon = grant.askedForJoining && waiter.terms.mode() == LockMode.SHARED;
    boolean mayWait = waiter.intent == Intent.QUEUE;
    return mayJoinSoon || (mayWait && !(shared && grant.phase == Phase.HELD));
  }

  void begin(Grant grant, Waiter waiter, Steps steps) {
    grant.next = newest;
    newest = grant;
    if (!grant.terms.fair() && grant.ticket.mode() != LockMode.PERMITS) {
      current = grant;
    }
    queue.seenBusy();
    give(grant, waiter, (short) 0, steps);
    queue.engine.keeper.add(grant);
    // Last: a caller that is let in by it must find this lease with its holder.
    loseOlder(grant, steps);
  }

  /**
   * The store has granted a higher number: what does not go with it cannot stand any more. It may
   * be the lease that just began: two grants are told in any order.
   */
  private void loseOlder(Grant grant, Steps steps) {
    if (grant == newest && grant.next == null) {
      return;
    }
    boolean alone = grant.ticket.mode() == LockMode.EXCLUSIVE;
    for (Grant other : all()) {
      boolean otherAlone = other.ticket.mode() == LockMode.EXCLUSIVE;
      if (other.number != grant.number && (alone || otherAlone)) {
        lose(other.number < grant.number ? other : grant, Reason.GONE, steps);
      }
    }
  }

  private void give(Grant grant, Waiter waiter, short handOver, Steps steps) {
    Hold hold = new Hold(grant, handOver, waiter);
    grant.add(hold);
    if (queue.engine.events.areHeard()) {
      // Asked here, so that an acquisition that is not heard of makes no lambda
      queue.engine.events.emit(
          () ->
              new LockEvent.Acquired(
                  queue.name,
                  hold.leaseId(),
                  hold.tokenOrZero(),
                  queue.engine.since(waiter.since)));
    }
    queue.handedTo(waiter, hold, steps);
  }

  /** Gives a lease that this process has to one more caller, under a token of its own. */
  void giveOn(Grant grant, Waiter to, Steps steps) {
    give(grant, to, grant.nextHandOver(), steps);
    queue.engine.keeper.attend(grant);
  }

  /** Once for each lease: a loop of timed tries would fill the log. */
  void warnOfSelfDeadlock(Waiter waiter, Steps steps) {
    Thread thread = waiter.thread;
    if (newest == null || thread == null) {
      return;
    }
    boolean first = false;
    for (Grant grant = newest; grant != null; grant = grant.next) {
      if (grant.terms.excludes(waiter.terms)) {
        for (Hold hold : grant.holds()) {
          first |= hold.beginsToWaitForItself(thread);
        }
      }
    }
    if (!first) {
      return;
    }
    String warning =
        "lock '"
            + queue.name
            + "': thread "
            + thread.getName()
            + " waits for a lock that it holds itself by another handle;"
            + " use withLock or asLock where re-entry is meant";
    queue.engine.warnings.add(() -> warning);
    queue.engine.events.emit(() -> new LockEvent.LikelySelfDeadlock(queue.name, thread.getName()));
  }

  // ---- readers

  /**
   * Lets a reader join the shared lease that this process has, if no writer elsewhere waits for too
   * long already. If the store's word on that is too old, asks it again first; then the reader
   * waits for the answer. It asks once: a reader that could not join by the answer, since that came
   * late or not at all, contends for a lease of its own.
   *
   * @return whether it joined
   */
  boolean join(Waiter reader, Steps steps) {
    Grant grant = current;
    long now = queue.engine.clock.nanos();
    if (grant == null || !mayJoin(grant, reader, now)) {
      return false;
    }
    if (grant.hasFreshWord(now)) {
      giveOn(grant, reader, steps);
      return true;
    }
    if (!grant.askedForJoining && !reader.hasAskedToJoin) {
      reader.hasAskedToJoin = true;
      grant.askedForJoining = true;
      queue.engine.calls.forCaller(reader, new Question(grant, reader), steps);
    }
    return false;
  }

  private boolean mayJoin(Grant grant, Waiter reader, long now) {
    return grant.ticket.mode() == LockMode.SHARED
        && grant.phase == Phase.HELD
        && grant.terms.handsOverTo(reader.terms)
        && !queue.engine.isClosed()
        && !grant.isWanted()
        && grant.mayBeHandedOver(now);
  }

  /** Who else waits, by the store's word on a renewal. */
  private final class Question implements StoreCalls.Request, StoreCalls.Answer<Renewal> {
    private final Grant grant;
    private final Waiter reader;
    private long sent;
    private long sentWall;

    Question(Grant grant, Waiter reader) {
      this.grant = grant;
      this.reader = reader;
    }

    @Override
    public void run() {
      long most = Math.min(queue.engine.requestNanos, queue.engine.calls.timeLeft(reader));
      long within = Math.max(StoreCalls.LEAST_NANOS, most);
      queue.engine.calls.call(() -> send(within), within, this);
    }

    @Override
    public void runElsewhere() {
      long within = queue.engine.requestNanos;
      queue.engine.calls.callElsewhere(Work.CALLER, () -> send(within), within, this);
    }

    private CompletionStage<Renewal> send(long within) {
      sent = queue.engine.clock.nanos();
      sentWall = queue.engine.clock.wallMillis();
      return queue.engine.keeper.renewOne(grant, Duration.ofNanos(within));
    }

    @Override
    public void now(@Nullable Renewal answer, @Nullable StoreException failed) {
      queue.locked(
          steps -> {
            grant.askedForJoining = false;
            if (answer != null) {
              queue.engine.keeper.answered(grant, answer, sent, sentWall, steps);
            }
            if (failed != null) {
              queue.callers.failTries(failed, steps);
            }
          });
    }
  }

  // ---- release

  CompletableFuture<Void> release(Leaving leaving) {
    queue.locked(leaving);
    return leaving.end();
  }

  /** Tells every holder, and lets every lease go; nothing is handed over any more. */
  void close(Steps steps) {
    for (Grant grant : all()) {
      expire(grant, steps);
      queue.engine.releaser.forgetKept(grant, steps);
      if (grant.phase == Phase.HELD) {
        close(grant, steps);
      }
    }
  }

  /** What its holders have let go is not waited for. */
  void forgetKept(Steps steps) {
    all().forEach(grant -> queue.engine.releaser.forgetKept(grant, steps));
  }

  private void close(Grant grant, Steps steps) {
    List<Hold> holds = grant.holds();
    for (Hold hold : holds) {
      if (hold.endLost(Reason.CLOSED, steps)) {
        lost(hold, Reason.CLOSED, steps);
      }
      grant.remove(hold);
    }
    Leaving leaving = new Leaving(holds.get(0), false);
    grant.leaving = leaving;
    grant.phase = Phase.RELEASING;
    // Each on its own: a silent store must not keep the caller of close.
    steps.add(() -> queue.engine.calls.background(leaving));
  }

  void end(Grant grant) {
    grant.phase = Phase.ENDED;
    unlink(grant);
    if (current == grant) {
      current = null;
    }
  }

  private void unlink(Grant gone) {
    if (newest == gone) {
      newest = gone.next;
    }
    for (Grant grant = newest; grant != null; grant = grant.next) {
      if (grant.next == gone) {
        grant.next = gone.next;
      }
    }
    gone.next = null;
  }

  // ---- loss

  /** Ends what is over: the lease by its validity, holders by their longest life. */
  void expire(Grant grant, Steps steps) {
    long now = queue.engine.clock.nanos();
    if (grant.phase == Phase.HELD && grant.hasLivedLongest(now)) {
      for (Hold hold : grant.holds()) {
        if (hold.longestLife().hasPassed(now)) {
          loseOne(grant, hold, steps);
        }
      }
    } else if (grant.validity().isOver(now)) {
      lose(grant, Reason.EXPIRED, steps);
    }
  }

  /** One holder has lived longest; with the last one the lease ends. */
  private void loseOne(Grant grant, Hold hold, Steps steps) {
    if (grant.holds().size() == 1) {
      lose(grant, Reason.MAX_HOLD, steps);
      return;
    }
    grant.remove(hold);
    if (hold.endLost(Reason.MAX_HOLD, steps)) {
      lost(hold, Reason.MAX_HOLD, steps);
    }
  }

  void lose(Grant grant, Reason reason, Steps steps) {
    if (grant.phase == Phase.ENDED || grant.phase == Phase.RELEASING) {
      return;
    }
    for (Hold hold : grant.holds()) {
      if (hold.endLost(reason, steps)) {
        lost(hold, reason, steps);
      }
      grant.remove(hold);
    }
    boolean wasRefreshing = grant.phase == Phase.REFRESHING;
    queue.seenBusy();
    end(grant);
    steps.add(() -> queue.engine.keeper.remove(grant));
    grant.settle(reason != Reason.SESSION_ENDED, steps);
    if (wasRefreshing) {
      queue.engine.releaser.lost(grant, reason, steps);
    }
  }

  void endanger(Grant grant, Steps steps) {
    if (grant.phase != Phase.HELD || grant.endangered) {
      return;
    }
    grant.endangered = true;
    for (Hold hold : grant.holds()) {
      Duration left = hold.remaining();
      if (hold.endanger(left, steps)) {
        Flight.endangered(hold, left);
        queue.engine.events.emit(
            () -> new LockEvent.Jeopardy(queue.name, hold.leaseId(), hold.tokenOrZero(), left));
      }
    }
  }

  void rescue(Grant grant) {
    if (grant.endangered) {
      grant.endangered = false;
      grant.holds().forEach(Hold::rescue);
    }
  }

  void lost(Hold hold, Reason reason, Steps steps) {
    if (hold.wasClosed() && reason != Reason.CLOSED) {
      // Its holder was told
      return;
    }
    Flight.held(hold, reason);
    queue.engine.warnings.add(() -> String.valueOf(hold.lost(reason, "").getMessage()));
    queue.engine.events.emit(
        () -> new LockEvent.Lost(queue.name, hold.leaseId(), hold.tokenOrZero(), reason));
  }
}
