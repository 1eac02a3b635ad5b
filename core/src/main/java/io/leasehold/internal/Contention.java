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

  private boolean othersComeFirst() {
    return others != null && others.comeFirst();
  }

  int separateCount() {
    return separate.size();
  }

  /** The terms on which the name is held or waited for here, all of one kind; else the caller's. */
  Terms inUseOr(Waiter caller) {
    Grant held = queue.leases.any();
    if (held != null) {
      return held.terms;
    }
    Waiter first = queue.callers.first();
    if (first != null) {
      return first.terms;
    }
    return separate.isEmpty() ? caller.terms : separate.iterator().next().terms;
  }

  /** Whether one that wants it alone could not get it now. */
  boolean isInUse() {
    return queue.leases.current() != null || !queue.callers.isEmpty() || !separate.isEmpty();
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
    return contender != null && contender.isQueued() && contender.failure() == null;
  }

  /** Who holds the lock, as far as it is known here. */
  String holder() {
    Grant here = queue.leases.current();
    if (here != null) {
      return here.ticket.holder();
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

  /** Contends for one caller only, by a ticket of its own. */
  void contendFor(Waiter only, Steps steps) {
    Contender own = new Contender(queue, queue.engine.tickets.of(only), only.terms, only);
    boolean aloneTry = only.intent == Intent.TRY && only.terms.mode() == LockMode.EXCLUSIVE;
    if (!aloneTry) {
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
    if (first == null || contender != null || queue.leases.block(first)) {
      return;
    }
    if (first.intent == Intent.TRY) {
      queue.callers.leave(first);
      contendFor(first, steps);
      pump(steps);
    } else if (!othersComeFirst()) {
      contend(first, steps);
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
    pump(steps);
  }

  /** The store has the name as a lock of another kind: nobody here can get it. */
  void foundOtherKind(Contender c, OtherKind kind, Steps steps) {
    for (Waiter waiter : c.only != null ? List.of(c.only) : queue.callers.all()) {
      queue.callers.end(
          waiter, new Waiter.Failed(Failures.otherKind(waiter, kind.mode(), kind.limit())), steps);
    }
    pump(steps);
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

  void foundBusy(Contender c, Steps steps) {
    Waiter only = c.only;
    if (only != null) {
      queue.callers.end(only, only.busy(c.holder()), steps);
    }
    pump(steps);
  }

  void mustWait(Contender c) {
    queue.seenBusy();
    Waiter waiter = served(c);
    if (waiter != null) {
      queue.callers.announce(waiter, holder());
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
