package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Attempt.OtherKind;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Traits.Hearing;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.VirtualThreads;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One lock name in one process: one state machine under one mutex, which this class is.
 *
 * <p>A caller is a {@link Waiter}. A caller that is content with any order inside its process
 * stands in line ({@link Callers}), and one {@link Contender} asks the store for the first in line;
 * a fair caller, a try beside a line and permits have a contender each ({@code separate}). What the
 * store grants is a {@link Grant}, in the hands of a {@link Hold}:
 *
 * <pre>
 *   Contender   ASKING ─ busy ──▶ WAITING ─ wake, poll ──▶ ASKING
 *                  │ └── failure ▶ BACKING_OFF ─ timer ───▶ ASKING
 *                  │               any of them ─ abandoned ▶ DONE ── withdrawn by {@link Limbo}
 *                  └─ granted ───▶ DONE
 *                                   │
 *   Grant                           ▼            hand-over
 *                                 HELD ◀────────────────────────┐
 *                                  │ last holder lets go        │
 *                                  ├── the store's word is old ─▶ REFRESHING
 *                                  │                                │
 *                                  ├── no caller to hand it to ◀───────┘
 *                                  ▼
 *                               RELEASING ── answered ▶ ENDED ◀── lost, from HELD and REFRESHING
 * </pre>
 *
 * <p>Each event (a call, an answer, a timer, a report of the store) runs in {@link #locked} or
 * {@link #compute}. It changes the state, and adds what is to be done with the world to its {@link
 * Steps}: requests, completions, callbacks. At its end {@link #reconcile} draws what follows from
 * the state, once: readers join, the first in line is contended for, a contender that serves no
 * caller is abandoned. Then the mutex is released, and the steps run in their order. So no request
 * and no code of the user runs under the mutex, and no event calls another.
 *
 * <p>Fields of Waiter, Contender, Grant and Callers and Leases belong to this mutex unless they say
 * otherwise; those that are read without it are volatile. The mutexes of {@link Limbo}, {@link
 * Poller} and {@link LeaseKeeper} may be taken inside it, never around it.
 */
@SuppressWarnings("serial") // as its mutex
final class NameQueue extends Mutex {
  /** Why a caller no longer waits. */
  enum GiveUp {
    TIMEOUT,
    INTERRUPT,
    CANCEL
  }

  /** How long other processes need to take a lock where the store wakes them. */
  private static final long WOKEN_NANOS = 20_000_000;

  /** The same where they find out by polling, at most. */
  private static final long POLLED_NANOS = 1_000_000_000;

  final Engine engine;
  final String name;
  final Leases leases;
  final Callers callers;

  /** Asks the store for the first in line; for this caller alone if it is a try. */
  private @Nullable Contender contender;

  /** Each asks for one caller that does not stand in line. */
  private Set<Contender> separate = Set.of();

  /** Until then callers of other processes come first. */
  private Deadline othersFirst = Deadline.NONE;

  /** Whether it is the queue of its name: from its first caller on until nothing is left in it. */
  private boolean inUse;

  NameQueue(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.leases = new Leases(this);
    this.callers = new Callers(this);
  }

  // ---- the end of each event

  @Override
  void afterEach() {
    if (contender != null || !callers.isEmpty()) {
      reconcile(this);
    }
    if (inUse && leases.isEmpty() && callers.isEmpty() && !isUnderWay() && !othersComeFirst()) {
      // The engine keeps nothing of a name that is not used
      inUse = false;
      engine.names.remove(name, this);
    }
  }

  /** Draws what follows from the state for those in line. */
  private void reconcile(Steps steps) {
    boolean again;
    do {
      Waiter first = callers.first();
      while (first != null && leases.join(first, steps)) {
        first = callers.first();
      }
      if (contender != null && !serves(contender)) {
        // Its caller has joined, was handed a lease, or has given up
        contender.abandon(steps);
      }
      again = first != null && contender == null && !leases.block(first) && contend(first, steps);
      again |= callers.tries() > 0 && isKnownBusy() && endTries(steps);
    } while (again);
  }

  /** Begins to contend for the first in line, if it may; true if the line is another now. */
  private boolean contend(Waiter first, Steps steps) {
    if (first.isTryAlone()) {
      if (separate.isEmpty() && !isKnownBusy()) {
        contendFor(first, steps);
      }
    } else if (first.intent == Intent.TRY) {
      callers.leave(first);
      contendFor(first, steps);
      return true;
    } else if (!othersComeFirst()) {
      contender = new Contender(this, engine.identity.ticket(first), first.terms, null);
      contender.ask(steps);
    }
    return false;
  }

  /** Contends for one caller only, by its own ticket: before the others if it is in line. */
  private void contendFor(Waiter only, Steps steps) {
    contenderFor(only).arrive(steps);
  }

  private Contender contenderFor(Waiter only) {
    Contender own = new Contender(this, engine.identity.ticket(only), only.terms, only);
    if (!only.queued) {
      only.own = own;
      if (separate.isEmpty()) {
        separate = new LinkedHashSet<>();
      }
      separate.add(own);
    } else {
      contender = own;
    }
    return own;
  }

  /** Tries that wait for the answer to another's question are told busy once that is known. */
  private boolean endTries(Steps steps) {
    boolean ended = false;
    for (Waiter waiter : callers.all()) {
      boolean asks = contender != null && contender.only == waiter;
      if (waiter.isTryAlone() && !asks) {
        callers.end(waiter, waiter.busy(holder()), steps);
        ended = true;
      }
    }
    return ended;
  }

  // ---- callers

  /** Lets a caller in; false if another queue is the one of this name now. */
  boolean enter(Waiter waiter) {
    return compute(
        steps -> {
          if (!use()) {
            return false;
          }
          Terms bound = bound();
          if (engine.isClosed()) {
            waiter.end(new Waiter.Failed(Failures.closed(name)), steps);
          } else if (bound != null && !bound.isSameKindAs(waiter.terms)) {
            waiter.end(
                new Waiter.Failed(Failures.otherKind(waiter, bound.mode(), bound.limit())), steps);
          } else if (waiter.intent == Intent.TRY) {
            enterTry(waiter, steps);
          } else {
            enterWait(waiter, steps);
          }
          return true;
        });
  }

  private boolean use() {
    if (!inUse) {
      inUse = engine.names.putIfAbsent(name, this) == null;
    }
    return inUse;
  }

  private void enterTry(Waiter waiter, Steps steps) {
    boolean alone = waiter.isTryAlone();
    if (alone ? isKnownBusy() : isWaitedFor()) {
      waiter.end(waiter.busy(holder()), steps);
    } else if (alone && isUnderWay()) {
      // It is not known to be busy: the answer that is under way, or the next, will tell
      callers.add(waiter);
      waiter.timer =
          engine.scheduler.schedule(() -> giveUp(waiter, GiveUp.TIMEOUT), engine.requestNanos);
    } else if (alone) {
      callers.add(waiter);
      contendFor(waiter, steps);
    } else if (callers.isEmpty()) {
      callers.add(waiter);
    } else {
      contendFor(waiter, steps);
    }
  }

  private void enterWait(Waiter waiter, Steps steps) {
    if (waiter.future != null && waiter.deadline.exists()) {
      waiter.timer =
          engine.scheduler.schedule(
              () -> giveUp(waiter, GiveUp.TIMEOUT), waiter.deadline.left(engine.clock.nanos()));
    }
    leases.warnOfSelfDeadlock(waiter, steps);
    if (waiter.terms.fair()) {
      contendFor(waiter, steps);
      return;
    }
    callers.add(waiter);
    if (contender != null && contender.isToldToWait()) {
      seenBusy();
    }
    // Before the end of the event: whether it has to wait is told only if it could not join
    reconcile(steps);
    if (waiter.outcome() == null && (callers.size() > 1 || leases.current() != null)) {
      callers.announce(waiter, holder());
    }
  }

  /** Ends a wait from the caller's side. Returns how it ended: a grant that came first counts. */
  Waiter.Outcome giveUp(Waiter waiter, GiveUp why) {
    locked(
        steps -> {
          if (waiter.outcome() != null) {
            return;
          }
          Contender serving = waiter.own != null ? waiter.own : contender;
          Waiter.Outcome end =
              why == GiveUp.TIMEOUT
                  ? callers.timedOut(waiter, serving, holder())
                  : Waiter.Withdrawn.WITHDRAWN;
          callers.end(waiter, end, steps);
          engine.events.emit(() -> new LockEvent.GaveUp(name, engine.since(waiter.since)));
          if (serving != null && !serves(serving)) {
            serving.abandon(steps);
          }
          if (serving != null && waiter.hears(serving)) {
            serving.keepArmed(steps);
          }
        });
    Waiter.Outcome end = waiter.outcome();
    return end == null ? Waiter.Withdrawn.WITHDRAWN : end;
  }

  int waiterCount() {
    return compute(steps -> callers.size() + separate.size());
  }

  // ---- what is known

  /**
   * The terms on which the name is held here, or waited for by the store's word; null if neither. A
   * ticket without answer binds no caller: it may be the one that asks for the wrong kind.
   */
  private @Nullable Terms bound() {
    Grant held = leases.any();
    if (held != null) {
      return held.terms;
    }
    Waiter first = callers.first();
    boolean told =
        contender == null ? first != null && first.intent == Intent.QUEUE : contender.hasAnswered();
    if (first != null && told) {
      return first.terms;
    }
    for (Contender each : separate) {
      if (each.hasAnswered()) {
        return each.terms;
      }
    }
    return null;
  }

  /** Whether one that wants it alone certainly could not get it now, or would overtake a waiter. */
  private boolean isKnownBusy() {
    Waiter first = callers.first();
    boolean waiting =
        contender == null
            ? first != null && first.intent == Intent.QUEUE
            : contender.isToldToWait();
    return leases.current() != null || waiting || anySeparate(Contender::isToldToWait);
  }

  /** Whether a ticket is under way here whose answer a try must wait for. */
  private boolean isUnderWay() {
    return contender != null || !separate.isEmpty();
  }

  /** Whether a caller here was told to wait: no try overtakes it. */
  private boolean isWaitedFor() {
    Grant held = leases.current();
    boolean writing = held != null && held.ticket.mode() == LockMode.EXCLUSIVE;
    boolean waiting = contender != null && contender.hasAnswered() && !callers.isEmpty();
    return writing || waiting || anySeparate(Contender::isQueued);
  }

  private boolean anySeparate(Predicate<Contender> condition) {
    for (Contender each : separate) {
      if (condition.test(each)) {
        return true;
      }
    }
    return false;
  }

  boolean othersComeFirst() {
    return othersFirst.exists();
  }

  /** Who holds the lock, as far as it is known here. */
  private String holder() {
    Grant here = leases.current();
    if (here != null) {
      return here.holder();
    }
    return contender == null ? "" : contender.holder();
  }

  private boolean serves(Contender c) {
    if (c.only != null) {
      return c.only.outcome() == null;
    }
    Waiter first = callers.first();
    return first != null && c.terms.contendsLike(first.terms);
  }

  /** The caller that a grant to this contender would go to. */
  @Nullable Waiter served(Contender c) {
    return c.only != null ? c.only : callers.first();
  }

  /**
   * The caller on the calling thread, if it may itself hear of a grant to this contender: no other
   * caller of this process can hand it a lease before that.
   */
  @Nullable Waiter hearer(Contender c) {
    Waiter waiter = served(c);
    boolean may =
        engine.traits.hearing() == Hearing.BY_CALLERS
            && waiter != null
            && Thread.currentThread().equals(waiter.thread)
            && !VirtualThreads.isVirtual(Thread.currentThread())
            && leases.isEmpty();
    return may ? waiter : null;
  }

  // ---- what the store answers to a contender

  void granted(Contender c, Granted granted, Validity validity, Steps steps) {
    Waiter asking = served(c);
    if (asking == null || asking.outcome() != null) {
      throw new IllegalStateException("a contender without caller was not abandoned");
    }
    List<Contender> behind = c.terms.fair() ? Run.behind(c, granted.run()) : List.of();
    Waiter waiter = requireNonNull(served(c));
    leases.begin(new Grant(this, c, waiter.terms, granted, validity, behind), waiter, steps);
    bind(c.terms, steps);
  }

  /** The store has the name as a lock of another kind: no caller here can get it as this one's. */
  void foundOtherKind(Contender c, OtherKind kind, Steps steps) {
    for (Waiter waiter : c.only != null ? List.of(c.only) : callers.all()) {
      if (waiter.terms.isSameKindAs(c.terms)) {
        refuse(waiter, kind.mode(), kind.limit(), steps);
      }
    }
  }

  /** The store takes the name as this kind of lock: who waits for it as another cannot get it. */
  private void bind(Terms kind, Steps steps) {
    if (callers.areMixed()) {
      for (Waiter waiter : callers.all()) {
        if (!waiter.terms.isSameKindAs(kind)) {
          refuse(waiter, kind.mode(), kind.limit(), steps);
        }
      }
    }
  }

  private void refuse(Waiter waiter, LockMode mode, int limit, Steps steps) {
    callers.end(waiter, new Waiter.Failed(Failures.otherKind(waiter, mode, limit)), steps);
  }

  /** A ticket cannot be granted any more: a try fails, a wait goes on under another. */
  void usedUp(Contender c, StoreException why, Steps steps) {
    Waiter only = c.only;
    if (only != null && only.intent == Intent.TRY) {
      callers.end(only, new Waiter.Failed(why), steps);
    }
    startAgain(c, steps);
  }

  /** A grant had run out when it came: what waits goes on under another ticket, in a while. */
  void grantedTooLate(Contender c, Steps steps) {
    Waiter next = c.only == null ? callers.first() : c.only;
    if (next == null || next.outcome() != null || next.intent == Intent.TRY) {
      usedUp(c, Failures.tooLate(name), steps);
      return;
    }
    c.abandon(steps);
    if (c.only == null) {
      contender = new Contender(this, engine.identity.ticket(next), next.terms, null);
      contender.beginAfter(c);
    } else {
      contenderFor(next).beginAfter(c);
    }
  }

  /** Contends on under a new ticket: this one is used up. */
  void startAgain(Contender used, Steps steps) {
    used.abandon(steps);
    Waiter only = used.only;
    if (only != null && only.outcome() == null) {
      contendFor(only, steps);
    }
  }

  /**
   * A try was answered busy. Those behind it share that if it was asked after they came; for the
   * others it may be old.
   */
  void foundBusy(Contender c, long asked, Steps steps) {
    Waiter only = c.only;
    if (only != null) {
      callers.end(only, only.busy(c.holder()), steps);
    }
    if (callers.tries() > 0 && c.terms.mode() != LockMode.PERMITS) {
      for (Waiter waiter : callers.all()) {
        if (waiter.isTryAlone() && asked - waiter.since >= 0) {
          callers.end(waiter, waiter.busy(c.holder()), steps);
        }
      }
    }
  }

  void mustWait(Contender c, Steps steps) {
    seenBusy();
    bind(c.terms, steps);
    Waiter waiter = served(c);
    if (waiter != null) {
      callers.announce(waiter, holder());
    }
  }

  /**
   * Fails the callers that will not outlast this failure; abandons the contender if none is left.
   */
  void storeFailed(Contender c, StoreException failure, boolean triesAgain, Steps steps) {
    callers.storeFailed(c, failure, triesAgain, steps);
    if (!serves(c)) {
      c.abandon(steps);
    }
  }

  void forget(Contender c) {
    if (contender == c) {
      contender = null;
    }
    if (!separate.isEmpty()) {
      separate.remove(c);
    }
  }

  // ---- the lease held here

  /** The caller to hand a lease over to; null if it must go back to the store. */
  @Nullable Waiter nextFor(Grant grant) {
    Waiter first = engine.isClosed() ? null : callers.first();
    return first != null && grant.terms.handsOverTo(first.terms) ? first : null;
  }

  /** The lock is seen to be busy: by an answer of the store, or by a lease here. */
  void seenBusy() {
    callers.storeAnswered();
  }

  void handedTo(Waiter waiter, Hold hold, Steps steps) {
    callers.end(waiter, hold, steps);
  }

  /**
   * A lease was let go that another process waits for. This one does not contend for a moment, so
   * that the other gets it: it would win every race otherwise.
   */
  void yieldToOthers() {
    Poll poll = engine.traits.poll();
    if (poll.signals() == Signals.GRANTED) {
      // The store let them have it already
      callers.storeAnswered();
      return;
    }
    long most = poll.signals() == Signals.SENT ? WOKEN_NANOS : POLLED_NANOS;
    long pause = Math.min(Durations.nanos(poll.longest()), most);
    othersFirst = new Deadline(engine.clock.nanos() + pause, true);
    engine.scheduler.schedule(() -> locked(steps -> othersHaveHadTime()), pause);
  }

  private void othersHaveHadTime() {
    if (othersFirst.hasPassed(engine.clock.nanos())) {
      othersFirst = Deadline.NONE;
      callers.storeAnswered();
    }
  }

  // ---- close

  /** Ends every wait. */
  void closeWaits() {
    locked(
        steps -> {
          for (Waiter waiter : callers.all()) {
            callers.end(waiter, new Waiter.Failed(Failures.closed(name)), steps);
          }
          for (Contender c : new ArrayList<>(separate)) {
            if (c.only != null) {
              callers.end(c.only, new Waiter.Failed(Failures.closed(name)), steps);
            }
            c.abandon(steps);
          }
          othersFirst = Deadline.NONE;
          leases.forgetKept(steps);
        });
  }

  /** Lets every lease go. */
  void closeLeases() {
    locked(leases::close);
  }
}
