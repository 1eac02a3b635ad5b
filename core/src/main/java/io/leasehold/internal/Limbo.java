package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lease ids that are given up and whose fate is not known: each is withdrawn again and again, until
 * the store says that nothing of it can ever be granted, or every attempt of it has ended and a
 * later withdrawal was answered, or the store must have let it go by itself.
 */
public final class Limbo {
  private static final long FIRST_RETRY_NANOS = 25_000_000;
  private static final long LONGEST_RETRY_NANOS = 500_000_000;

  /** No request lands later than this after its client gave up on it. */
  private static final long LATEST_NANOS = 30_000_000_000L;

  private static final int MOST_UNDER_WAY = 64;

  private final LockStore store;
  private final StoreCalls calls;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Duration requestTimeout;
  private final long requestNanos;

  /** Takes what is given up at the end without being known. */
  private final Consumer<Ticket> unknown;

  private final ReentrantLock mutex = new ReentrantLock();
  private final Map<LeaseId, Entry> entries = new HashMap<>();

  /**
   * Entries that wait for one of the few withdrawals under way to end: a store that is down is not
   * flooded.
   */
  private final Set<Entry> due = new LinkedHashSet<>();

  /** The threads that withdraw what is due. */
  private final Set<Thread> withdrawing = ConcurrentHashMap.newKeySet();

  private int underWay;
  private boolean closed;

  public Limbo(
      LockStore store,
      StoreCalls calls,
      Clock clock,
      Scheduler scheduler,
      Duration requestTimeout,
      Consumer<Ticket> unknown) {
    this.store = store;
    this.calls = calls;
    this.clock = clock;
    this.scheduler = scheduler;
    this.requestTimeout = requestTimeout;
    this.requestNanos = Durations.nanos(requestTimeout);
    this.unknown = unknown;
  }

  private static final class Entry {
    final Ticket ticket;
    final Attempts attempts;
    long since;
    int tries;
    boolean underWay;

    /** Whether an attempt ended while a withdrawal was under way, which may have come before it. */
    boolean again;

    Scheduler.@Nullable Timer timer;

    /** Completes once it is settled; null if no caller waits for that. */
    @Nullable CompletableFuture<@Nullable Void> end;

    Entry(Ticket ticket, Attempts attempts, long since) {
      this.ticket = ticket;
      this.attempts = attempts;
      this.since = since;
    }
  }

  public int size() {
    mutex.lock();
    try {
      return entries.size();
    } finally {
      mutex.unlock();
    }
  }

  public boolean contains(LeaseId id) {
    mutex.lock();
    try {
      return entries.containsKey(id);
    } finally {
      mutex.unlock();
    }
  }

  /** Completes once nothing of this id can be granted any more. */
  public CompletableFuture<@Nullable Void> end(LeaseId id) {
    mutex.lock();
    try {
      Entry entry = entries.get(id);
      if (entry == null) {
        return CompletableFuture.completedFuture(null);
      }
      if (entry.end == null) {
        entry.end = new CompletableFuture<>();
      }
      return entry.end;
    } finally {
      mutex.unlock();
    }
  }

  /** Gives up what is left, and says so. */
  public void close() {
    mutex.lock();
    try {
      closed = true;
      entries.values().forEach(entry -> unknown.accept(entry.ticket));
      entries.clear();
      due.clear();
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Takes an id in. May be called under a queue's mutex.
   *
   * @param attempts its attempts; from here on this limbo's
   * @return what withdraws it for the first time; to be run without the mutex
   */
  public Runnable add(Ticket ticket, Attempts attempts) {
    long now = clock.nanos();
    mutex.lock();
    try {
      if (closed) {
        unknown.accept(ticket);
        return () -> {};
      }
      Entry entry = entries.get(ticket.id());
      if (entry == null) {
        entry = new Entry(ticket, attempts, now);
        entries.put(ticket.id(), entry);
      } else {
        entry.attempts.add(attempts);
        entry.since = now;
        entry.again = entry.underWay;
      }
      Entry added = entry;
      return () -> withdraw(added);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * An attempt of this id has ended: nothing that is withdrawn from now on can be granted by it. If
   * the id was settled meanwhile it is withdrawn once more: the store's word that a withdrawal is
   * final is about attempts sent before it, and this one may have been sent after.
   */
  public void attemptEnded(Ticket ticket, @Nullable StoreException failed) {
    if (!ended(ticket.id(), failed) && mayHaveLanded(failed)) {
      Attempts late = new Attempts();
      late.begin();
      late.end(failed);
      add(ticket, late).run();
    }
  }

  private static boolean mayHaveLanded(@Nullable StoreException failed) {
    return failed == null || failed.failure() == Failure.UNKNOWN_OUTCOME;
  }

  /** An attempt of this id will not be sent. */
  void notSent(LeaseId id) {
    ended(id, StoreCalls.notSent());
  }

  /** Whether the id was here. */
  private boolean ended(LeaseId id, @Nullable StoreException failed) {
    Entry entry;
    mutex.lock();
    try {
      entry = entries.get(id);
      if (entry == null) {
        return false;
      }
      entry.attempts.end(failed);
      entry.since = clock.nanos();
      entry.again |= entry.underWay && mayHaveLanded(failed);
    } finally {
      mutex.unlock();
    }
    withdraw(entry);
    return true;
  }

  private void withdraw(Entry entry) {
    boolean complete;
    mutex.lock();
    try {
      if (entry.underWay || entries.get(entry.ticket.id()) != entry) {
        return;
      }
      if (entry.timer != null) {
        entry.timer.cancel();
        entry.timer = null;
      }
      if (underWay == MOST_UNDER_WAY) {
        due.add(entry);
        return;
      }
      due.remove(entry);
      underWay++;
      entry.underWay = true;
      entry.again = false;
      // Whether this withdrawal comes after everything else that was sent for the id.
      complete = !entry.attempts.mayLand();
    } finally {
      mutex.unlock();
    }
    calls.<Boolean>callOwn(
        Work.WITHDRAWAL,
        () -> store.withdraw(entry.ticket, requestTimeout),
        requestNanos,
        (isFinal, failed) -> answered(entry, complete, isFinal, failed));
  }

  private void answered(
      Entry entry, boolean complete, @Nullable Boolean isFinal, @Nullable StoreException failed) {
    CompletableFuture<@Nullable Void> end = null;
    mutex.lock();
    try {
      underWay--;
      entry.underWay = false;
      boolean known = failed == null && (complete || Boolean.TRUE.equals(isFinal));
      boolean over = (known && !entry.again) || (failed == null && isOutlived(entry));
      if (over) {
        entries.remove(entry.ticket.id());
        due.remove(entry);
        end = entry.end;
      } else {
        long delay = Math.min(LONGEST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(entry.tries++, 8));
        entry.timer = scheduler.schedule(() -> withdraw(entry), known ? 0 : delay);
      }
    } finally {
      mutex.unlock();
    }
    if (end != null) {
      end.complete(null);
    }
    withdrawDue();
  }

  /**
   * Withdraws what is due while there is room. An answer that is there at once only adds to the
   * work of the loop that asked: thousands of ids would overflow the stack.
   */
  private void withdrawDue() {
    Thread current = Thread.currentThread();
    if (!withdrawing.add(current)) {
      return;
    }
    try {
      for (Entry next = takeDue(); next != null; next = takeDue()) {
        withdraw(next);
      }
    } finally {
      withdrawing.remove(current);
    }
  }

  private @Nullable Entry takeDue() {
    mutex.lock();
    try {
      return underWay < MOST_UNDER_WAY ? nextDue() : null;
    } finally {
      mutex.unlock();
    }
  }

  /** The next that is still to be withdrawn: one that is not would end the chain. */
  private @Nullable Entry nextDue() {
    while (!due.isEmpty()) {
      Entry first = due.iterator().next();
      due.remove(first);
      if (!first.underWay && entries.get(first.ticket.id()) == first) {
        return first;
      }
    }
    return null;
  }

  /** Whether whatever could be granted under this id has ended by itself by now. */
  private boolean isOutlived(Entry entry) {
    long latest = Math.max(requestNanos, LATEST_NANOS);
    long life =
        Durations.nanos(
                entry
                    .ticket
                    .ttl()
                    .plus(store.traits().life().crashExtra().apply(entry.ticket.ttl())))
            + latest;
    return !entry.attempts.arePending() && clock.nanos() - entry.since > life;
  }

  /** The attempts of one ticket: whether any can still land at the store. Guarded by its owner. */
  public static class Attempts {
    /** Those that have not ended. */
    private int pending;

    /** Whether one ended without an answer, so that it may still land. */
    private boolean indefinite;

    public final void begin() {
      pending++;
    }

    /** One has ended, with or without an answer. */
    public final void end(@Nullable StoreException failed) {
      pending--;
      indefinite |= failed != null && failed.failure() == Failure.UNKNOWN_OUTCOME;
    }

    /** Those of another, of the same id. */
    final void add(Attempts others) {
      pending += others.pending;
      indefinite |= others.indefinite;
    }

    public final boolean arePending() {
      return pending > 0;
    }

    /** Whether one of them may still land. */
    public final boolean mayLand() {
      return pending > 0 || indefinite;
    }

    final Attempts copy() {
      Attempts copy = new Attempts();
      copy.pending = pending;
      copy.indefinite = indefinite;
      return copy;
    }
  }
}
