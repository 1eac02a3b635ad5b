package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.Ticket.Intent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The local-first callers that wait for one name in this process, in order of arrival, and what
 * they may be told. Guarded by the queue's mutex.
 */
final class Callers {
  private final NameQueue queue;
  private @Nullable Waiter first;
  private @Nullable Waiter last;
  private int size;

  /** Whether they may want several kinds of lock: the store has not said yet which it is. */
  private boolean mixed;

  /** How many of them want the lock alone or not at all. */
  private int tries;

  /** Made for the first fair caller. */
  private @Nullable Arrivals arrivals;

  /** Whether and when the store last answered for them. */
  private boolean hasAnswer;

  private long answeredAt;

  Callers(NameQueue queue) {
    this.queue = queue;
  }

  /** The fair ones that have no place in the store's queue yet. */
  Arrivals arrivals() {
    if (arrivals == null) {
      arrivals = new Arrivals(queue);
    }
    return arrivals;
  }

  void add(Waiter waiter) {
    waiter.queued = true;
    waiter.before = last;
    if (last == null) {
      first = waiter;
      mixed = false;
    } else {
      last.after = waiter;
      mixed |= !last.terms.isSameKindAs(waiter.terms);
    }
    last = waiter;
    size++;
    tries += waiter.isTryAlone() ? 1 : 0;
  }

  /** Takes it out, if it is one of these; it may contend by a ticket of its own from now on. */
  void leave(Waiter waiter) {
    if (!waiter.queued) {
      return;
    }
    Waiter before = waiter.before;
    Waiter after = waiter.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.before = before;
    }
    waiter.queued = false;
    waiter.before = null;
    waiter.after = null;
    size--;
    tries -= waiter.isTryAlone() ? 1 : 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  boolean areMixed() {
    return mixed;
  }

  int tries() {
    return tries;
  }

  @Nullable Waiter first() {
    return first;
  }

  List<Waiter> all() {
    List<Waiter> all = new ArrayList<>(size);
    for (Waiter waiter = first; waiter != null; waiter = waiter.after) {
      all.add(waiter);
    }
    return all;
  }

  /**
   * Ends a wait, of one of these or of a caller with a ticket of its own; does nothing if it has
   * ended.
   */
  void end(Waiter waiter, Waiter.Outcome outcome, Steps steps) {
    leave(waiter);
    if (waiter.outcome() == null) {
      waiter.end(outcome, steps);
    }
  }

  /**
   * The store has answered, or a lease of this process shows that the lock is busy: from then on
   * those who wait now outlast failures of the store until their deadlines.
   */
  void storeAnswered() {
    hasAnswer = true;
    answeredAt = queue.engine.clock.nanos();
  }

  /** Whether this caller knows that the lock was busy while it waited. */
  boolean isAnswered(Waiter waiter, Contender serving) {
    return serving.hasAnswered()
        || (waiter.intent == Intent.QUEUE
            && (serving.only == null || waiter.terms.mode() == LockMode.EXCLUSIVE)
            && hasAnswerFor(waiter));
  }

  /** The same while no contender serves it: it waits behind others, or lets another come first. */
  private boolean isAnswered(Waiter waiter) {
    return waiter.intent == Intent.QUEUE
        && (hasAnswerFor(waiter) || queue.leases.any() != null || queue.othersComeFirst());
  }

  private boolean hasAnswerFor(Waiter waiter) {
    boolean alone = waiter.terms.mode() == LockMode.EXCLUSIVE;
    return (hasAnswer && answeredAt - waiter.since >= 0) || (alone && queue.leases.any() != null);
  }

  void announce(Waiter waiter, String holder) {
    if (!waiter.announced) {
      waiter.announced = true;
      queue.engine.events.emit(() -> new LockEvent.Waiting(queue.name, holder));
    }
  }

  /**
   * What a caller is told at its deadline: busy only if the store said so, and has not failed
   * since.
   */
  Waiter.Outcome timedOut(Waiter waiter, @Nullable Contender serving, String holder) {
    StoreException failure = serving == null ? null : serving.failure();
    if (failure != null) {
      return new Waiter.Failed(
          Failures.of(failure, queue.name, "gave up at its deadline while the store failed"));
    }
    boolean unanswered = serving == null ? !isAnswered(waiter) : !isAnswered(waiter, serving);
    if (unanswered) {
      return new Waiter.Failed(Failures.silent(queue.name));
    }
    return waiter.busy(holder);
  }

  void failTries(StoreException failure, Steps steps) {
    for (Waiter waiter : all()) {
      if (waiter.intent == Intent.TRY) {
        end(waiter, new Waiter.Failed(Failures.of(failure, queue.name, "not acquired")), steps);
      }
    }
  }

  /** For whom this contender asks; the tries behind one in line share its failure, too. */
  private List<Waiter> askedFor(Contender c) {
    if (c.only == null) {
      return all();
    }
    return c.only.queued && tries > 1
        ? all().stream().filter(Waiter::isTryAlone).toList()
        : List.of(c.only);
  }

  /** Fails those that will not outlast this failure of the store. */
  void storeFailed(Contender c, StoreException failure, boolean triesAgain, Steps steps) {
    for (Waiter waiter : askedFor(c)) {
      boolean outlasts =
          failure.failure() != Failure.REFUSED
              && (triesAgain
                  || (waiter.intent == Intent.QUEUE
                      && (failure.failure() == Failure.BUSY || isAnswered(waiter, c))));
      if (!outlasts) {
        end(waiter, new Waiter.Failed(Failures.of(failure, queue.name, "not acquired")), steps);
      }
    }
  }
}
