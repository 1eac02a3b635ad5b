package io.leasehold.internal;

import io.leasehold.event.LockEvent;
import io.leasehold.spi.Ticket.Intent;
import org.jspecify.annotations.Nullable;

/**
 * The wait machine of one lock name in one process: who waits here, which tickets contend for them
 * at the store, and which leases are held here, handed on and joined. Every event takes the mutex,
 * changes the state, and leaves requests and completions to be done after it.
 */
@SuppressWarnings("serial") // as its mutex
final class NameQueue extends Mutex {
  /** Why a caller no longer waits. */
  enum GiveUp {
    TIMEOUT,
    INTERRUPT,
    CANCEL
  }

  final Engine engine;
  final String name;
  final Leases leases;
  final Callers callers;
  final Contention contention;

  /** Whether it is the queue of its name: from its first caller on until nothing is left in it. */
  private boolean inUse;

  NameQueue(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.leases = new Leases(this);
    this.callers = new Callers(this);
    this.contention = new Contention(this);
  }

  /** The engine keeps nothing of a name that is not used. */
  @Override
  void afterEach() {
    if (inUse && leases.isEmpty() && callers.isEmpty() && contention.isOver()) {
      inUse = false;
      engine.names.remove(name, this);
    }
  }

  private boolean use() {
    if (!inUse) {
      inUse = engine.names.putIfAbsent(name, this) == null;
    }
    return inUse;
  }

  // ---- callers

  /** Lets a caller in; false if another queue is the one of this name now. */
  boolean enter(Waiter waiter) {
    return compute(
        steps -> {
          if (!use()) {
            return false;
          }
          if (engine.isClosed()) {
            waiter.end(new Waiter.Failed(Failures.closed(name)), steps);
            return true;
          }
          Terms bound = contention.bound();
          if (bound != null && !bound.isSameKindAs(waiter.terms)) {
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

  private void enterTry(Waiter waiter, Steps steps) {
    boolean alone = waiter.isTryAlone();
    if (alone ? contention.isKnownBusy() : contention.isWaitedFor()) {
      waiter.end(waiter.busy(contention.holder()), steps);
    } else if (alone && contention.isUnderWay()) {
      // It is not known to be busy: the answer that is under way, or the next, will tell
      callers.add(waiter);
      waiter.timer =
          engine.scheduler.schedule(() -> giveUp(waiter, GiveUp.TIMEOUT), engine.requestNanos);
    } else if (alone) {
      callers.add(waiter);
      contention.contendFor(waiter, steps);
    } else if (callers.isEmpty()) {
      callers.add(waiter);
      contention.pump(steps);
    } else {
      contention.contendFor(waiter, steps);
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
      contention.contendFor(waiter, steps);
      return;
    }
    callers.add(waiter);
    if (contention.isToldToWait()) {
      seenBusy();
    }
    contention.pump(steps);
    if (waiter.outcome() == null && (callers.size() > 1 || leases.current() != null)) {
      callers.announce(waiter, contention.holder());
    }
  }

  /** Ends a wait from the caller's side. Returns how it ended: a grant that came first counts. */
  Waiter.Outcome giveUp(Waiter waiter, GiveUp why) {
    locked(
        steps -> {
          if (waiter.outcome() != null) {
            return;
          }
          Contender serving = contention.serving(waiter);
          Waiter.Outcome end =
              why == GiveUp.TIMEOUT
                  ? callers.timedOut(waiter, serving, contention.holder())
                  : Waiter.Withdrawn.WITHDRAWN;
          callers.end(waiter, end, steps);
          engine.events.emit(() -> new LockEvent.GaveUp(name, engine.since(waiter.since)));
          if (serving != null && !contention.servesAnybody(serving)) {
            serving.abandon(steps);
          }
          contention.pump(steps);
        });
    Waiter.Outcome end = waiter.outcome();
    return end == null ? Waiter.Withdrawn.WITHDRAWN : end;
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

  /** Ends every wait. */
  void closeWaits() {
    locked(
        steps -> {
          for (Waiter waiter : callers.all()) {
            callers.end(waiter, new Waiter.Failed(Failures.closed(name)), steps);
          }
          contention.close(steps);
          leases.forgetKept();
        });
  }

  /** Lets every lease go. */
  void closeLeases() {
    locked(leases::close);
  }

  int waiterCount() {
    return compute(steps -> callers.size() + contention.separateCount());
  }
}
