package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Limbo.Attempts;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Busy;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Attempt.OtherKind;
import io.leasehold.spi.Attempt.Queued;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits.Neighbours;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One ticket that contends for a name at the store: asks, waits to be woken, polled or to try again
 * after a failure, and asks again, until it is granted or abandoned. It contends for the caller
 * that is first in its queue, or for one caller only. Guarded by its queue's mutex.
 */
// One object and not two: an acquisition makes one
final class Contender extends Attempts {
  /** What it is doing. */
  private enum Phase {
    /** An attempt is under way, or about to be. */
    ASKING,
    /** It waits for a wake-up or the poller. */
    WAITING,
    /** The store failed; it tries again in a moment. */
    BACKING_OFF,
    /** Granted or abandoned. */
    DONE
  }

  /** A lease that is told of must live at least for so long: its holder's process may be slow. */
  private static final long LEAST_TOLD_NANOS = 300_000_000;

  /** So late, at most, does a caller that hears see what does not come by the store. */
  private static final long HEARD_NANOS = 2_000_000_000;

  final Ticket ticket;
  final Terms terms;

  /** The only caller it contends for, until it is given another; null: the first. */
  @Nullable Waiter only;

  private final NameQueue queue;
  private final long since;

  /** Read without the mutex. */
  private volatile Phase phase = Phase.ASKING;

  private boolean wokenMeanwhile;

  /** Whether the store has reported that another waits for what it may have been granted. */
  private boolean wanted;

  /** Whether it stands in the store that this ticket is to be woken. */
  private boolean armed;

  /** How often the connection was lost, and at which of these numbers a watch is under way. */
  private int connection;

  private int watchedOn = -1;

  /** Whether the poller asks about it. */
  private boolean polled;

  /** Read without the mutex. */
  private volatile boolean answered;

  private @Nullable Backoff backoff;
  private String holder = "";

  private boolean leaving;
  private boolean endedLate;

  /** Whether no caller holds or waits by it any more, and what is left of it was withdrawn. */
  private boolean settled;

  /** The lease by which its caller was served, in its turn; null if none was. */
  private @Nullable Grant servedBy;

  Contender(NameQueue queue, Ticket ticket, Terms terms, @Nullable Waiter only) {
    this.queue = queue;
    this.ticket = ticket;
    this.terms = terms;
    this.only = only;
    this.since = queue.engine.clock.nanos();
    queue.engine.contenders.put(ticket.id(), this);
  }

  NameQueue queue() {
    return queue;
  }

  boolean hasAnswered() {
    return answered;
  }

  /** Whether the store told it to wait, and has not failed since. */
  boolean isToldToWait() {
    return isQueued() && failure() == null;
  }

  /** Whether it waits behind others, as far as the store has answered. */
  boolean isQueued() {
    return answered && ticket.intent() == Ticket.Intent.QUEUE;
  }

  /**
   * Why the store cannot be believed to be merely busy: its failure, or that it has not answered
   * yet.
   */
  @Nullable StoreException failure() {
    return backoff == null ? null : backoff.last();
  }

  String holder() {
    return holder;
  }

  void ask(Steps steps) {
    leaveWaiting();
    phase = Phase.ASKING;
    wokenMeanwhile = false;
    begin();
    Waiter caller = queue.served(this);
    queue.engine.calls.forCaller(caller, new AttemptCall.One(this, caller), steps);
  }

  /** Asks for the first time: it is new, so that no phase is to be left. */
  void arrive(Steps steps) {
    if (ticket.fair()
        && ticket.mode() == LockMode.EXCLUSIVE
        && queue.engine.traits.neighbours() == Neighbours.TOGETHER) {
      queue.callers.arrivals().add(this, steps);
    } else {
      ask(steps);
    }
  }

  /** The request before its own took the time that it had. */
  void notAsked(Steps steps) {
    failed(Failures.notAsked(ticket.name()), false, false, steps);
  }

  /** Whether a first answer may still come in time. */
  boolean mayAsk() {
    return queue.engine.calls.allowsAnother(since);
  }

  /** Begins in a while, with the patience of one whose grant had run out when it came. */
  void beginAfter(Contender used) {
    backoff = used.backoff();
    backoff.failed(Failures.tooLate(ticket.name()));
    backOff();
  }

  /** Whether an attempt is under way, or about to be. Without the mutex. */
  boolean isAsking() {
    return phase == Phase.ASKING;
  }

  /** How long its first attempt may take that is sent now. Without the mutex. */
  long timeForFirstAttempt() {
    return queue.engine.calls.forFirstAttempt(terms, since);
  }

  /** How long an attempt may take that is sent now. Without the mutex. */
  long timeForAttempt() {
    return queue.engine.calls.forAttempt(terms, since, answered);
  }

  /** In which an attempt must be answered that waits for a thread first. Without the mutex. */
  long timeForAnswer() {
    return queue.engine.calls.forAnswer(since, answered);
  }

  /** An attempt was not sent: it was abandoned, or its caller has no time left for an answer. */
  void notSent(Steps steps) {
    end(null);
    if (settled) {
      steps.add(() -> queue.engine.limbo.notSent(ticket.id()));
    } else if (phase == Phase.ASKING) {
      backOff();
    }
  }

  /** An attempt has ended, with or without an answer. */
  void ended(@Nullable StoreException failed, Steps steps) {
    end(failed);
    endedLate |= leaving;
    if (settled) {
      steps.add(() -> queue.engine.limbo.attemptEnded(ticket, failed));
    }
  }

  /** The release of its lease is sent: an attempt that ends from now on may land after that. */
  void leaving() {
    leaving = true;
  }

  /** Whether one has ended since. */
  boolean endedLate() {
    return endedLate;
  }

  /** An attempt is answered, or is not expected to be any more. */
  void heard(
      AttemptCall<?> call, @Nullable Attempt answer, @Nullable StoreException failed, Steps steps) {
    if (phase != Phase.ASKING) {
      if (answer instanceof Granted granted) {
        grantedToo(granted, steps);
      }
      return;
    }
    if (failed != null) {
      attemptFailed(call, failed, steps);
    } else if (answer instanceof Granted granted) {
      granted(granted, call.validity(granted), steps);
    } else if (answer instanceof Busy busy) {
      busy(call, busy.holder(), busy.retryAfter(), false, steps);
    } else if (answer instanceof Queued queued) {
      busy(call, queued.holder(), Duration.ZERO, queued.watched(), steps);
    } else if (answer instanceof OtherKind kind) {
      abandon(steps);
      queue.foundOtherKind(this, kind, steps);
    }
  }

  /** An answer that no caller waits for any more: the store knows this ticket. */
  void heardLate() {
    answered = true;
  }

  private void granted(Granted granted, Validity validity, Steps steps) {
    if (!queue.engine.isFenceNumber(granted.number())) {
      answered = true;
      failed(Failures.notAFenceNumber(granted.number()), false, false, steps);
    } else if (validity.isOver(queue.engine.clock.nanos())) {
      // It has run out on its way here. The id is used up: start again under another.
      answered = true;
      queue.grantedTooLate(this, steps);
    } else {
      phase = Phase.DONE;
      queue.forget(this);
      queue.granted(this, wanted ? granted.asWanted() : granted, validity, steps);
      leaveWaiting();
      // Last, so that a report of its loss finds the contender or the lease.
      queue.engine.contenders.remove(ticket.id());
    }
  }

  private void busy(
      AttemptCall<?> call, String heldBy, Duration retryAfter, boolean watched, Steps steps) {
    answered = true;
    storeWorks();
    holder = heldBy;
    if (ticket.intent() == Ticket.Intent.TRY) {
      finish();
      // A repeat may have overtaken its original, which would be granted to no caller.
      settle(false, steps);
      queue.foundBusy(this, call.sent(), steps);
      return;
    }
    queue.mustWait(this, steps);
    if (phase == Phase.DONE) {
      return;
    }
    if (wokenMeanwhile) {
      ask(steps);
      return;
    }
    await(retryAfter);
    armed |= watched;
    Waiter hearer = queue.hearer(this);
    if (hearer != null) {
      hearer.hearBy(this);
    } else {
      keepArmed(steps);
    }
  }

  /** If it waits, it is to be woken. */
  void keepArmed(Steps steps) {
    if (phase == Phase.WAITING && !armed && queue.engine.traits.poll().signals() != Signals.NONE) {
      arm(steps);
    }
  }

  /** Lets the calling thread, its caller's, hear for a while. Without the mutex. */
  boolean hear(long most) {
    return phase == Phase.WAITING
        && StoreCalls.hear(queue.engine.store, ticket, Math.min(most, HEARD_NANOS));
  }

  /** Its caller does not hear any more. Without the mutex. */
  void notHeard() {
    // Its own thread has the answer that armed it, and what disarms it arms it again by itself
    if (phase != Phase.DONE && !armed) {
      queue.locked(this::keepArmed);
    }
  }

  private void await(Duration retryAfter) {
    phase = Phase.WAITING;
    polled = true;
    queue.engine.poller.add(this, retryAfter);
  }

  /** Has itself woken from now on. Meanwhile it waits, and is polled. */
  private void arm(Steps steps) {
    if (watchedOn != connection) {
      int on = connection;
      watchedOn = on;
      long within = queue.engine.calls.forWatch(queue.served(this));
      steps.add(() -> watch(on, within));
    }
  }

  /**
   * Asks to be woken: never on the thread of a caller, whom it could hold up. Without the mutex.
   */
  private void watch(int on, long within) {
    long sent = queue.engine.clock.nanos();
    queue.engine.calls.callOwn(
        Work.WATCH,
        () -> queue.engine.store.watch(ticket, Duration.ofNanos(within)),
        within,
        (answer, failed) -> {
          long took = queue.engine.clock.nanos() - sent;
          // As with an attempt: that its caller had no more time says nothing about the store
          boolean ranOut = within < queue.engine.requestNanos && took >= within / 4 * 3;
          queue.locked(steps -> armed(on, answer, failed, ranOut, steps));
        });
  }

  private void armed(
      int on,
      @Nullable Watch answer,
      @Nullable StoreException failed,
      boolean ranOut,
      Steps steps) {
    if (phase == Phase.DONE || on != connection) {
      // Of a connection that is gone: the watch on the next is asked for by itself
      return;
    }
    watchedOn = -1;
    if (failed == null) {
      armed = true;
      if (answer != Watch.NOTHING_MISSED) {
        // The lease may have come free before the watch was armed: ask once more.
        wake(steps);
      }
    } else if (phase == Phase.WAITING) {
      leaveWaiting();
      if (ranOut) {
        backOff();
      } else {
        failed(failed, failed.failure() == Failure.BUSY, false, steps);
      }
    }
  }

  /** The store says that an attempt may succeed now. */
  void wake(Steps steps) {
    switch (phase) {
      case ASKING -> wokenMeanwhile = true;
      case WAITING, BACKING_OFF -> ask(steps);
      case DONE -> {
        if (servedBy != null) {
          // Its place is behind the lease that serves it: that may have ended in the store
          queue.engine.keeper.doubt(servedBy);
        }
      }
    }
  }

  /** The store says that it has granted this ticket by itself. */
  void told(Granted granted, Validity validity, Steps steps) {
    if (phase == Phase.WAITING && countsByMessage(granted, validity)) {
      granted(granted, validity, steps);
    } else if (phase == Phase.DONE) {
      grantedToo(granted, steps);
    } else {
      wake(steps);
    }
  }

  /** Whether a lease that must be confirmed so soon is of use; an attempt brings its whole life. */
  private boolean countsByMessage(Granted granted, Validity validity) {
    Waiter caller = queue.served(this);
    return caller != null
        && caller.terms.renewed()
        && queue.engine.isFenceNumber(granted.number())
        && validity.until() - queue.engine.clock.nanos() >= LEAST_TOLD_NANOS
        && !validity.isInDoubt(queue.engine.clock);
  }

  /** Contends for another caller than before, on terms like its own. */
  void contendFor(Waiter other) {
    only = other;
    other.own = this;
  }

  /** Its caller is served by a lease of its process, which has come to its place. */
  void serveBy(Grant grant) {
    servedBy = grant;
    leave();
  }

  /** The store grants its place, which is used up: so the lease that served it is gone. */
  private void grantedToo(Granted granted, Steps steps) {
    if (servedBy != null && granted.number() > servedBy.number) {
      queue.leases.lose(servedBy, Reason.GONE, steps);
    }
  }

  /** Another waits for the name. */
  void wantedNow() {
    wanted = true;
  }

  /** Its session is gone, and with it whatever was granted under this id. */
  void sessionEnded(Steps steps) {
    if (phase != Phase.DONE) {
      queue.usedUp(this, Failures.sessionEnded(ticket.name()), steps);
    }
  }

  /**
   * The connection is a new one: nothing is armed on it, and what was reported meanwhile is lost.
   */
  void reconnected(Steps steps) {
    armed = false;
    connection++;
    if (phase == Phase.WAITING) {
      arm(steps);
    } else {
      wake(steps);
    }
  }

  void polled(Renewal answer, Steps steps) {
    if (phase != Phase.WAITING) {
      return;
    }
    if (answer instanceof Renewal.Waiting) {
      storeWorks();
      queue.seenBusy();
    } else if (answer instanceof Renewal.Unknown unknown) {
      backoff().failed(StoreCalls.asStoreException(unknown.cause()));
    } else if (answer instanceof Renewal.Gone) {
      // Its place has lapsed, perhaps after a grant that was not confirmed. Ids are single-use.
      queue.startAgain(this, steps);
    } else {
      ask(steps);
    }
  }

  private void attemptFailed(AttemptCall<?> call, StoreException failed, Steps steps) {
    Waiter caller = queue.served(this);
    if (call.ranOutOfTime() && caller != null && queue.callers.isAnswered(caller, this)) {
      // It says nothing about the store, which has answered
      backOff();
    } else {
      boolean busy = failed.failure() == Failure.BUSY || call.wasTooSlow(failed);
      failed(failed, busy, call.isShortened(), steps);
    }
  }

  private void failed(StoreException failed, boolean busy, boolean shortened, Steps steps) {
    boolean first = backoff().failed(failed);
    boolean unknown = failed.failure() == Failure.UNKNOWN_OUTCOME;
    if (unknown) {
      queue.engine.events.emit(
          () -> new LockEvent.UnknownOutcome(ticket.name(), ticket.id().toString(), "attempt"));
    }
    // A lost reply is resolved by asking again: once at once, if there is time for it. A busy store
    // has waited already.
    boolean lost = unknown && first;
    boolean inTime = mayAsk();
    boolean askAtOnce = answered ? lost : inTime && (lost || busy);
    queue.storeFailed(this, failed, askAtOnce || shortened, steps);
    if (phase == Phase.DONE) {
      return;
    }
    if (askAtOnce) {
      ask(steps);
    } else {
      backOff();
    }
  }

  private void backOff() {
    phase = Phase.BACKING_OFF;
    backoff().schedule(queue.engine.scheduler, () -> queue.locked(this::backedOff));
  }

  private void backedOff(Steps steps) {
    if (phase == Phase.BACKING_OFF) {
      ask(steps);
    }
  }

  private void finish() {
    leave();
    queue.engine.contenders.remove(ticket.id());
  }

  private void leave() {
    phase = Phase.DONE;
    leaveWaiting();
    queue.forget(this);
  }

  private void leaveWaiting() {
    if (polled) {
      polled = false;
      queue.engine.poller.remove(this);
    }
    if (backoff != null) {
      backoff.cancel();
    }
  }

  private Backoff backoff() {
    if (backoff == null) {
      backoff = new Backoff();
    }
    return backoff;
  }

  private void storeWorks() {
    if (backoff != null) {
      backoff.answered();
    }
  }

  /** Gives up: whatever the store knows of this ticket is withdrawn. */
  void abandon(Steps steps) {
    if (phase == Phase.DONE) {
      return;
    }
    finish();
    settle(answered, steps);
  }

  /**
   * Once the ticket is used up: withdraws it, if the store may know of it, until no attempt of it
   * can land any more.
   */
  void settle(boolean known, Steps steps) {
    settled = true;
    if (known || mayLand()) {
      steps.add(queue.engine.limbo.add(ticket, copy()));
    }
  }

  /**
   * How a contender takes the failures of the store: the last one, how many in a row, and when to
   * try again.
   */
  private static final class Backoff {
    private static final long FIRST_NANOS = 25_000_000;
    private static final long LONGEST_NANOS = 500_000_000;

    private int failures;
    private @Nullable StoreException last;
    private Scheduler.@Nullable Timer timer;

    /** The failure that no answer has followed yet. */
    @Nullable StoreException last() {
      return last;
    }

    /** Takes a failure; true for the first in a row. */
    boolean failed(StoreException failure) {
      last = failure;
      return ++failures == 1;
    }

    void answered() {
      last = null;
      failures = 0;
    }

    /** Runs {@code again} after a while that grows with each failure. */
    void schedule(Scheduler scheduler, Runnable again) {
      long delay = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(failures, 8));
      timer = scheduler.schedule(again, delay);
    }

    void cancel() {
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
    }
  }
}
