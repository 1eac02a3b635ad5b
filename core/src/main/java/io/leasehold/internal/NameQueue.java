package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Ticket.Intent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The wait machine of one lock name in one process: who waits here, which tickets contend for them
 * at the store, and which lease is held here and handed on. Every event takes the mutex, changes
 * the state, and leaves requests and completions to be done after it.
 *
 * <p>Local-first callers queue here and one {@link Contender} contends for the first of them. A
 * try, and each fair caller, contends by a ticket of its own.
 */
final class NameQueue {
  /** Why a caller no longer waits. */
  enum GiveUp {
    TIMEOUT,
    INTERRUPT,
    CANCEL
  }

  final Engine engine;
  final String name;
  final Leases leases;
  private final Mutex mutex = new Mutex(this::retireIfIdle);

  private final Callers callers;
  private final Set<Contender> fair = new LinkedHashSet<>();
  private @Nullable Contender contender;

  private final Courtesy others;

  private boolean retired;

  NameQueue(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
    this.leases = new Leases(this);
    this.callers = new Callers(engine, name);
    this.others = new Courtesy(this);
  }

  // ---- the mutex

  void locked(Consumer<Steps> event) {
    mutex.run(event);
  }

  <T> T compute(Function<Steps, T> event) {
    return mutex.compute(event);
  }

  private void retireIfIdle() {
    if (!retired
        && callers.isEmpty()
        && contender == null
        && fair.isEmpty()
        && leases.isEmpty()
        && !others.comeFirst()) {
      retired = true;
      engine.names.remove(name, this);
    }
  }

  // ---- callers

  /** Lets a caller in; false if this queue is no longer the one of its name. */
  boolean enter(Waiter waiter) {
    return compute(
        steps -> {
          if (retired) {
            return false;
          }
          if (engine.isClosed()) {
            waiter.end(Waiter.Outcome.failed(Failures.closed(name)), steps);
          } else if (waiter.intent == Intent.TRY) {
            enterTry(waiter, steps);
          } else {
            enterWait(waiter, steps);
          }
          return true;
        });
  }

  private void enterTry(Waiter waiter, Steps steps) {
    if (leases.current() != null || !callers.isEmpty() || !fair.isEmpty()) {
      waiter.end(waiter.busy(holder()), steps);
      return;
    }
    callers.add(waiter);
    contendFor(waiter, steps);
  }

  /** Contends for one caller only, by a ticket of its own. */
  private void contendFor(Waiter only, Steps steps) {
    Contender own = new Contender(this, engine.ticket(only), only.terms, only);
    if (only.terms.fair() && only.intent == Intent.QUEUE) {
      only.own = own;
      fair.add(own);
    } else {
      contender = own;
    }
    own.ask(steps);
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
    if (callers.size() > 1 || leases.current() != null) {
      callers.announce(waiter, holder());
    }
    pump(steps);
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
                  : Waiter.Outcome.WITHDRAWN;
          callers.end(waiter, end, steps);
          engine.events.emit(() -> new LockEvent.GaveUp(name, engine.since(waiter.since)));
          if (serving != null && !servesAnybody(serving)) {
            serving.abandon(steps);
          }
          pump(steps);
        });
    Waiter.Outcome end = waiter.outcome();
    return end == null ? Waiter.Outcome.WITHDRAWN : end;
  }

  private boolean servesAnybody(Contender c) {
    if (c.only != null) {
      return c.only.outcome() == null;
    }
    Waiter first = callers.first();
    return first != null && c.terms.contendsLike(first.terms);
  }

  /** Whom a grant to this contender would go to. */
  @Nullable Waiter served(Contender c) {
    return c.only != null ? c.only : callers.first();
  }

  /** Who holds the lock, as far as it is known here. */
  private String holder() {
    Grant here = leases.current();
    if (here != null) {
      return here.ticket.holder();
    }
    return contender == null ? "" : contender.holder();
  }

  // ---- contention

  /** Starts to contend for the first caller, if it may. */
  void pump(Steps steps) {
    Waiter first = callers.first();
    if (first == null || leases.current() != null || contender != null || others.comeFirst()) {
      return;
    }
    contender = new Contender(this, engine.ticket(first), first.terms, null);
    contender.ask(steps);
  }

  /** Lets the others have the lock first: a lease was let go that somebody else waited for. */
  void yieldToOthers() {
    others.letFirst(
        steps -> {
          callers.storeAnswered();
          pump(steps);
        });
  }

  void granted(Contender c, Granted granted, Validity validity, Steps steps) {
    Waiter waiter = served(c);
    if (waiter == null || waiter.outcome() != null) {
      throw new IllegalStateException("a contender without caller was not abandoned");
    }
    leases.begin(new Grant(this, c, waiter.terms, granted, validity), waiter, steps);
  }

  /** A ticket cannot be granted any more: a try fails, a wait goes on under another. */
  void usedUp(Contender c, StoreException why, Steps steps) {
    Waiter only = c.only;
    if (only != null && only.intent == Intent.TRY) {
      callers.end(only, Waiter.Outcome.failed(why), steps);
    }
    startAgain(c, steps);
  }

  /** Contends on under a new ticket: this one is used up. */
  void startAgain(Contender used, Steps steps) {
    used.abandon(steps);
    Waiter only = used.only;
    if (only != null && only.outcome() == null) {
      contendFor(only, steps);
    }
    pump(steps);
  }

  void foundBusy(Contender c, Steps steps) {
    Waiter only = c.only;
    if (only != null) {
      callers.end(only, only.busy(c.holder()), steps);
    }
    pump(steps);
  }

  void mustWait(Contender c) {
    seenBusy();
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
    if (!servesAnybody(c)) {
      c.abandon(steps);
      pump(steps);
    }
  }

  void forget(Contender c) {
    if (contender == c) {
      contender = null;
    }
    fair.remove(c);
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
    callers.end(waiter, Waiter.Outcome.granted(hold), steps);
  }

  /** Ends every wait and lets every lease go. */
  void close() {
    locked(
        steps -> {
          for (Waiter waiter : callers.all()) {
            callers.end(waiter, Waiter.Outcome.failed(Failures.closed(name)), steps);
          }
          for (Contender c : new ArrayList<>(fair)) {
            if (c.only != null) {
              callers.end(c.only, Waiter.Outcome.failed(Failures.closed(name)), steps);
            }
            c.abandon(steps);
          }
          if (contender != null) {
            contender.abandon(steps);
          }
          others.close();
          leases.close(steps);
        });
  }

  int waiterCount() {
    return compute(steps -> callers.size() + fair.size());
  }
}
