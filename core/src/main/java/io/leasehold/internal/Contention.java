package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Attempt.OtherKind;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Traits.Signals;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tickets contend at the store for the callers of one name, and what becomes of the store's
 * answers: one {@link Contender} for whoever is first of the local-first callers, and one of its
 * own for each fair caller and each try. Guarded by its queue's mutex.
 */
final class Contention {
  private final NameQueue queue;
  private @Nullable Courtesy others;
  private Set<Contender> separate = Set.of();
  private @Nullable Contender contender;

  Contention(NameQueue queue) {
    this.queue = queue;
  }

  // ---- questions

  boolean isOver() {
    return contender == null && separate.isEmpty() && !othersComeFirst();
  }

  boolean othersComeFirst() {
    return others != null && others.comeFirst();
  }

  int separateCount() {
    return separate.size();
  }

  /**
   * The terms on which the name is held here, or waited for by the store's word; null if neither. A
   * ticket without answer binds nobody: it may be the one that asks for the wrong kind.
   */
  @Nullable Terms bound() {
    Grant held = queue.leases.any();
    if (held != null) {
      return held.terms;
    }
    Waiter first = queue.callers.first();
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
  boolean isKnownBusy() {
    Waiter first = queue.callers.first();
    boolean waiting =
        contender == null ? first != null && first.intent == Intent.QUEUE : isToldToWait();
    return queue.leases.current() != null
        || waiting
        || (!separate.isEmpty() && separate.stream().anyMatch(Contender::isToldToWait));
  }

  /** Whether a ticket is under way here whose answer a try must wait for. */
  boolean isUnderWay() {
    return contender != null || !separate.isEmpty();
  }

  /** Whether a caller here was told to wait: no try overtakes it. */
  boolean isWaitedFor() {
    Grant held = queue.leases.current();
    boolean writing = held != null && held.ticket.mode() == LockMode.EXCLUSIVE;
    boolean waiting = contender != null && contender.hasAnswered() && !queue.callers.isEmpty();
    return writing || waiting || separate.stream().anyMatch(c -> c.isQueued());
  }

  /** Whether the store told the one who contends for all to wait, and has not failed since. */
  boolean isToldToWait() {
    return contender != null && contender.isToldToWait();
  }

  /** Who holds the lock, as far as it is known here. */
  String holder() {
    Grant here = queue.leases.current();
    if (here != null) {
      return here.holder();
    }
    return contender == null ? "" : contender.holder();
  }

  /** What contends for this caller; null if nothing does. */
  @Nullable Contender serving(Waiter waiter) {
    return waiter.own != null ? waiter.own : contender;
  }

  boolean servesAnybody(Contender c) {
    if (c.only != null) {
      return c.only.outcome() == null;
    }
    Waiter first = queue.callers.first();
    return first != null && c.terms.contendsLike(first.terms);
  }

  /** Whom a grant to this contender would go to. */
  @Nullable Waiter served(Contender c) {
    return c.only != null ? c.only : queue.callers.first();
  }

  /** Contends for one caller only, by a ticket of its own: before the others if it is in line. */
  void contendFor(Waiter only, Steps steps) {
    Contender own = new Contender(queue, queue.engine.tickets.of(only), only.terms, only);
    if (!only.queued) {
      only.own = own;
      if (separate.isEmpty()) {
        separate = new LinkedHashSet<>();
      }
      separate.add(own);
    } else {
      contender = own;
    }
    own.ask(steps);
  }

  // ---- contention

  /** Lets readers join what is held here, and starts to contend for the first caller, if it may. */
  void pump(Steps steps) {
    Waiter first = queue.callers.first();
    while (first != null && queue.engine.readers.join(queue, first, steps)) {
      first = queue.callers.first();
    }
    if (contender != null && !servesAnybody(contender)) {
      // Whoever it contended for has joined, or was handed a lease.
      contender.abandon(steps);
    }
    if (first != null && contender == null && !queue.leases.block(first)) {
      serve(first, steps);
    }
    if (queue.callers.tries() > 0 && isKnownBusy()) {
      endTries(steps);
    }
  }

  private void serve(Waiter first, Steps steps) {
    if (first.isTryAlone()) {
      if (separate.isEmpty() && !isKnownBusy()) {
        contendFor(first, steps);
      }
    } else if (first.intent == Intent.TRY) {
      queue.callers.leave(first);
      contendFor(first, steps);
      pump(steps);
    } else if (!othersComeFirst()) {
      contend(first, steps);
    }
  }

  /** Tries that wait for the answer to another's question are told busy once that is known. */
  private void endTries(Steps steps) {
    boolean ended = false;
    for (Waiter waiter : queue.callers.all()) {
      boolean asks = contender != null && contender.only == waiter;
      if (waiter.isTryAlone() && !asks) {
        queue.callers.end(waiter, waiter.busy(holder()), steps);
        ended = true;
      }
    }
    if (ended) {
      pump(steps);
    }
  }

  private void contend(Waiter first, Steps steps) {
    contender = new Contender(queue, queue.engine.tickets.of(first), first.terms, null);
    contender.ask(steps);
  }

  /** The store was asked, for readers that want to join, who else waits. */
  void askedForJoining(@Nullable StoreException failed, Steps steps) {
    if (failed != null) {
      queue.callers.failTries(failed, steps);
    }
    pump(steps);
  }

  /** Lets the others have the lock first: a lease was let go that somebody else waited for. */
  void yieldToOthers() {
    if (queue.engine.traits.poll().signals() == Signals.GRANTED) {
      // The store let them have it already
      queue.callers.storeAnswered();
      return;
    }
    if (others == null) {
      others = new Courtesy(queue);
    }
    others.letFirst(
        steps -> {
          queue.callers.storeAnswered();
          pump(steps);
        });
  }

  void granted(Contender c, Granted granted, Validity validity, Steps steps) {
    Waiter waiter = served(c);
    if (waiter == null || waiter.outcome() != null) {
      throw new IllegalStateException("a contender without caller was not abandoned");
    }
    queue.leases.begin(new Grant(queue, c, waiter.terms, granted, validity), waiter, steps);
    bind(c.terms, steps);
    pump(steps);
  }

  /** The store has the name as a lock of another kind: nobody here can get it as this one's. */
  void foundOtherKind(Contender c, OtherKind kind, Steps steps) {
    for (Waiter waiter : c.only != null ? List.of(c.only) : queue.callers.all()) {
      if (waiter.terms.isSameKindAs(c.terms)) {
        queue.callers.end(
            waiter,
            new Waiter.Failed(Failures.otherKind(waiter, kind.mode(), kind.limit())),
            steps);
      }
    }
    pump(steps);
  }

  /** The store takes the name as this kind of lock: who waits for it as another cannot get it. */
  private void bind(Terms kind, Steps steps) {
    if (queue.callers.areMixed()) {
      for (Waiter waiter : queue.callers.all()) {
        if (!waiter.terms.isSameKindAs(kind)) {
          queue.callers.end(
              waiter,
              new Waiter.Failed(Failures.otherKind(waiter, kind.mode(), kind.limit())),
              steps);
        }
      }
    }
  }

  /** A ticket cannot be granted any more: a try fails, a wait goes on under another. */
  void usedUp(Contender c, StoreException why, Steps steps) {
    Waiter only = c.only;
    if (only != null && only.intent == Intent.TRY) {
      queue.callers.end(only, new Waiter.Failed(why), steps);
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

  /**
   * A try was answered busy. Those behind it share that if it was asked after they came; for the
   * others it may be old.
   */
  void foundBusy(Contender c, long asked, Steps steps) {
    Waiter only = c.only;
    if (only != null) {
      queue.callers.end(only, only.busy(c.holder()), steps);
    }
    if (queue.callers.tries() > 0 && c.terms.mode() != LockMode.PERMITS) {
      for (Waiter waiter : queue.callers.all()) {
        if (waiter.isTryAlone() && asked - waiter.since >= 0) {
          queue.callers.end(waiter, waiter.busy(c.holder()), steps);
        }
      }
    }
    pump(steps);
  }

  void mustWait(Contender c, Steps steps) {
    queue.seenBusy();
    bind(c.terms, steps);
    Waiter waiter = served(c);
    if (waiter != null) {
      queue.callers.announce(waiter, holder());
    }
    if (queue.callers.tries() > 0) {
      pump(steps);
    }
  }

  /**
   * Fails the callers that will not outlast this failure; abandons the contender if none is left.
   */
  void storeFailed(Contender c, StoreException failure, boolean triesAgain, Steps steps) {
    queue.callers.storeFailed(c, failure, triesAgain, steps);
    if (!servesAnybody(c)) {
      c.abandon(steps);
      pump(steps);
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

  void close(Steps steps) {
    for (Contender c : new ArrayList<>(separate)) {
      if (c.only != null) {
        queue.callers.end(c.only, new Waiter.Failed(Failures.closed(queue.name)), steps);
      }
      c.abandon(steps);
    }
    if (contender != null) {
      contender.abandon(steps);
    }
    if (others != null) {
      others.close();
    }
  }
}
