package io.leasehold.internal;

import io.leasehold.internal.Limbo.Attempts;
import io.leasehold.internal.Releaser.Leaving;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Scheduler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the store granted it: one fence number, renewed as one. Held by one {@link Hold} after
 * another as it is handed over; a shared one by several at once. Guarded by its queue's mutex where
 * nothing else is said.
 */
final class Grant {
  /** What becomes of it. */
  enum Phase {
    /** Held, and renewed. */
    HELD,
    /**
     * Let go by its holder; the store is asked whether another client waits, before it is handed
     * over.
     */
    REFRESHING,
    /** Let go; the store is told. */
    RELEASING,
    /** Over. */
    ENDED
  }

  /** How old the store's word that no other client waits may be at a hand-over. */
  static final long FRESH_NANOS = 50_000_000;

  final NameQueue queue;

  /** What it was granted to, if attempts of that may still land once the lease is over. */
  private final @Nullable Contender from;

  final Ticket ticket;

  /** Those of its first holder; a holder by hand-over wants the same. */
  final Terms terms;

  final long number;

  /** Read without the mutex: it decides when the keeper renews next. Written by the keeper. */
  volatile long renewAt;

  /** Read without the mutex. */
  private volatile Validity validity;

  /** Read without the mutex. */
  volatile Phase phase = Phase.HELD;

  /** Read without the mutex: whether its holders were told that renewal is failing. */
  volatile boolean endangered;

  /** Read without the mutex: when the first of its holders has lived longest. */
  private volatile Deadline longestLife = Deadline.NONE;

  /** The first of those who hold it now; the others follow it. */
  private @Nullable Hold first;

  /** Short, as the next: of each lease that a process holds there is one. */
  private short handOvers;

  /** After so many it goes back: sooner while another client waits. */
  private short mostHandOvers = FenceNumber.MAX_HAND_OVERS;

  private boolean wanted;
  private long wantedSince;

  /** Whether the store is being asked, for readers that want to join, who else waits. */
  boolean askedForJoining;

  /** While its last holder lets it go. */
  @Nullable Leaving leaving;

  /** Until when it stays in the store though all have let it go. */
  private Deadline keptUntil = Deadline.NONE;

  /** Releases it then; null unless it was let go before. */
  Scheduler.@Nullable Timer kept;

  /** Whom it is handed to without a word of the store; null unless the store named some. */
  final @Nullable Run run;

  /** The one that began before it, of the same name. */
  @Nullable Grant next;

  Grant(
      NameQueue queue,
      Contender from,
      Terms terms,
      Granted granted,
      Validity validity,
      List<Contender> behind) {
    this.queue = queue;
    this.from = from.mayLand() ? from : null;
    this.ticket = from.ticket;
    this.terms = terms;
    this.number = granted.number();
    this.validity = validity;
    this.run = behind.isEmpty() ? null : new Run(this, behind);
    hear(granted.wanted());
  }

  /**
   * Once it is over: withdraws its id, if the store may know of it, until no attempt of it can land
   * any more.
   */
  void settle(boolean known, Steps steps) {
    if (from != null) {
      from.settle(known || endedLate(), steps);
    } else if (known) {
      steps.add(queue.engine.limbo.add(ticket, new Attempts()));
    }
    if (run != null) {
      run.settle(known, steps);
    }
  }

  /**
   * Whether an attempt of its id has ended since its release was sent: it may have landed after.
   */
  boolean endedLate() {
    return from != null && from.endedLate();
  }

  /** Its release is sent. */
  void leaving() {
    phase = Phase.RELEASING;
    if (from != null) {
      from.leaving();
    }
    if (run != null) {
      run.leaving();
    }
  }

  /** Whether it is renewed, or will be handed over. Without the mutex. */
  boolean isKept() {
    Phase now = phase;
    return now == Phase.HELD || now == Phase.REFRESHING;
  }

  /** Who holds it now; a copy. */
  List<Hold> holds() {
    List<Hold> holds = new ArrayList<>(1);
    for (Hold hold = first; hold != null; hold = hold.next) {
      holds.add(hold);
    }
    return holds;
  }

  /**
   * Who has it, for people: the holder that came first of those that hold it now; the one it was
   * granted to if none does.
   */
  String holder() {
    Hold oldest = first;
    while (oldest != null && oldest.next != null) {
      oldest = oldest.next;
    }
    return oldest == null
        ? ticket.holder()
        : queue.engine.identity.holder(oldest.thread, oldest.traceId);
  }

  boolean isHeld() {
    return first != null;
  }

  void add(Hold hold) {
    hold.next = first;
    first = hold;
    endangered = false;
    longestLife = Deadline.earlier(longestLife, hold.longestLife());
  }

  void remove(Hold hold) {
    unlink(hold);
    if (longestLife.exists()) {
      longestLifeChanged();
    }
  }

  /** Looks anew who of its holders has lived longest first. */
  void longestLifeChanged() {
    Deadline earliest = Deadline.NONE;
    for (Hold left = first; left != null; left = left.next) {
      earliest = Deadline.earlier(earliest, left.longestLife());
    }
    longestLife = earliest;
  }

  private void unlink(Hold gone) {
    if (first == gone) {
      first = gone.next;
    }
    for (Hold hold = first; hold != null; hold = hold.next) {
      if (hold.next == gone) {
        hold.next = gone.next;
      }
    }
    gone.next = null;
  }

  /** A holder lets it go: for its sake it may have to stay in the store for a while. */
  void letGo(Hold hold) {
    remove(hold);
    keptUntil = Deadline.later(keptUntil, hold.keptUntil());
  }

  Deadline keptUntil() {
    return keptUntil;
  }

  boolean hasLivedLongest(long now) {
    return longestLife.hasPassed(now);
  }

  long longestLifeLeft(long now) {
    return longestLife.left(now);
  }

  Validity validity() {
    return validity;
  }

  short nextHandOver() {
    return ++handOvers;
  }

  /**
   * Only while it is safe, not too often, and no other client has waited for longer than the
   * hand-over time.
   */
  boolean mayBeHandedOver(long now) {
    return handOvers < mostHandOvers
        && isSafe(now)
        && !(wanted && now - wantedSince > queue.engine.handOverNanos);
  }

  /** Whether it is still so good that another may begin to hold it, under a token of its own. */
  boolean isSafe(long now) {
    return handOvers < FenceNumber.MAX_HAND_OVERS && isValid(now) && now - jeopardyAt() < 0;
  }

  /** Whether the lease certainly stands. Reads clocks only. */
  boolean isValid(long now) {
    Validity v = validity;
    return !v.isOver(now) && !v.isInDoubt(queue.engine.clock);
  }

  /** How long it lives without renewal: not longer than its ttl, and shorter until confirmed. */
  long life() {
    return Math.min(terms.ttlNanos(), validity.life());
  }

  /** From here on renewal is failing. */
  long jeopardyAt() {
    return validity.begins() + life() / 3 * 2;
  }

  /**
   * Takes the answer to a renewal; of two the one that was sent later counts, however late the
   * other comes.
   */
  void renewed(Validity newer, boolean isWanted) {
    if (newer.sent() - validity.sent() >= 0) {
      validity = newer;
      boolean toldSince = wanted && isTold() && wantedSince - newer.sent() >= 0;
      hear(isWanted || toldSince);
    }
  }

  /** The store reports that another waits. */
  void wantedNow() {
    hear(true);
  }

  /** Whether the store reports who waits, besides answering it. */
  private boolean isTold() {
    return queue.engine.traits.wanted() == Traits.Wanted.REPORTED;
  }

  private void hear(boolean isWanted) {
    if (!isWanted) {
      mostHandOvers = FenceNumber.MAX_HAND_OVERS;
    } else if (!wanted) {
      wantedSince = queue.engine.clock.nanos();
      mostHandOvers =
          (short) Math.min(FenceNumber.MAX_HAND_OVERS, handOvers + queue.engine.wantedHandOvers);
    }
    wanted = isWanted;
  }

  boolean isWanted() {
    return wanted;
  }

  /** Whether the store's last word on who waits still counts. */
  boolean hasFreshWord(long now) {
    return now - validity.sent() <= FRESH_NANOS
        || (isTold() && validity.sent() - queue.engine.wordsCountFrom > 0);
  }
}
