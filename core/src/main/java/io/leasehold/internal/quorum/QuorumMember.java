package io.leasehold.internal.quorum;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Limbo;
import io.leasehold.internal.Limbo.Attempts;
import io.leasehold.internal.StoreCalls;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One member of a quorum: its store, on separate threads if it blocks, so that it delays no other
 * whatever it does. It is opened again and again until it can be. What may be left in it of an
 * acquisition that is over is withdrawn in the background.
 */
final class QuorumMember {
  private static final long FIRST_REOPEN_NANOS = 500_000_000;
  private static final long LONGEST_REOPEN_NANOS = 10_000_000_000L;

  /** A member that never returns must not collect requests without end. */
  private static final int MOST_UNDER_WAY = 10_000;

  /** In which a withdrawal in the background must be answered. */
  private static final Duration WITHDRAWAL = Duration.ofSeconds(5);

  private final String name;
  private final StoreFactory factory;
  private final Clock clock;
  private final Scheduler threads;
  private final StoreListener listener;

  /** Whether a store that was opened later than the others fits them. */
  private volatile Predicate<Traits> fits = traits -> true;

  private final AtomicInteger underWay = new AtomicInteger();
  private final ReentrantLock mutex = new ReentrantLock();

  /** The attempts of each ticket that may still land. Guarded by the mutex. */
  private final Map<LeaseId, Sent> sent = new HashMap<>();

  private volatile @Nullable Member open;
  private volatile StoreException whyNot;
  private volatile boolean closed;

  /** Whether its last attempt was answered within {@link QuorumHedge#PROMPT_NANOS}. */
  private volatile boolean prompt;

  /** The open store, with what bounds its answers and withdraws what is left. */
  private record Member(LockStore store, StoreCalls calls, Limbo limbo) {}

  /** The attempts of one ticket. */
  private static final class Sent extends Attempts {
    /** How many there were: one of a lost vote may be under way when the id is asked for again. */
    int number;

    /** Whether its release is under way: what ends from now on may have landed after that. */
    boolean leaving;

    /** Whether it was the only one, and is released: its answer says nothing new. */
    boolean released;
  }

  QuorumMember(
      String name, StoreFactory factory, Clock clock, Scheduler threads, StoreListener listener) {
    this.name = name;
    this.factory = factory;
    this.clock = clock;
    this.threads = threads;
    this.listener = listener;
    this.whyNot = new StoreException(Failure.UNAVAILABLE, "it is not open yet", null);
  }

  String name() {
    return name;
  }

  // ---- opening

  /**
   * Opens it on a separate thread.
   *
   * @param heard told once: the traits of the open store, or why it could not be opened
   */
  void open(BiConsumer<@Nullable Traits, @Nullable StoreException> heard) {
    open(heard, FIRST_REOPEN_NANOS);
  }

  private void open(BiConsumer<@Nullable Traits, @Nullable StoreException> heard, long pauseNanos) {
    threads.request(
        () -> {
          try {
            opened(factory.open(new Reports()));
            heard.accept(traits(), null);
          } catch (RuntimeException | Error e) {
            whyNot = StoreCalls.asStoreException(e);
            long next = Math.min(LONGEST_REOPEN_NANOS, 2 * pauseNanos);
            threads.schedule(() -> open((traits, failed) -> {}, next), pauseNanos);
            heard.accept(null, whyNot);
          }
        });
  }

  private void opened(LockStore store) {
    StoreCalls calls =
        new StoreCalls(clock, threads, Durations.nanos(WITHDRAWAL), store.traits().calls());
    Limbo limbo = new Limbo(store, calls, clock, threads, WITHDRAWAL, ticket -> {});
    if (!fits.test(store.traits())) {
      store.close();
      throw new StoreException(
          Failure.REFUSED,
          "its ttl limits or modes are narrower than those of the others, or it may forget what"
              + " they do not: leases, fence numbers",
          null);
    }
    mutex.lock();
    try {
      if (!closed) {
        open = new Member(store, calls, limbo);
        return;
      }
    } finally {
      mutex.unlock();
    }
    store.close();
  }

  /** From now on it is opened only if its traits fulfil this. */
  void mustFit(Predicate<Traits> newFits) {
    fits = newFits;
  }

  /** Of the open store; null if it is not open. */
  @Nullable Traits traits() {
    Member member = open;
    return member == null ? null : member.store.traits();
  }

  // ---- requests

  /**
   * Asks the store something, on a separate thread if it blocks. Answered in time, whatever the
   * store does.
   */
  <T> void ask(
      Work work,
      Duration within,
      BiFunction<LockStore, Duration, CompletionStage<T>> verb,
      StoreCalls.Answer<T> answer) {
    Member member = open;
    if (member == null) {
      answer.now(null, silent());
      return;
    }
    if (underWay.incrementAndGet() > MOST_UNDER_WAY) {
      underWay.decrementAndGet();
      answer.now(null, failure(Failure.UNAVAILABLE, "too many requests wait for its answer"));
      return;
    }
    long end = clock.nanos() + Durations.nanos(within);
    member.calls.callOwn(
        work,
        () -> verb.apply(member.store, Duration.ofNanos(Math.max(0, end - clock.nanos()))),
        Durations.nanos(within),
        new Named<>(answer));
  }

  /** Why it has not answered. */
  StoreException silent() {
    return open == null
        ? failure(whyNot.failure(), String.valueOf(whyNot.getMessage()))
        : failure(Failure.UNAVAILABLE, "it has not answered in time");
  }

  private StoreException failure(Failure failure, String why) {
    return new StoreException(failure, name + ": " + why, null);
  }

  /** Says in each failure which member it is of, and counts what is under way. */
  private final class Named<T> implements StoreCalls.Answer<T> {
    private final StoreCalls.Answer<T> answer;

    Named(StoreCalls.Answer<T> answer) {
      this.answer = answer;
    }

    @Override
    public void now(@Nullable T value, @Nullable StoreException failed) {
      underWay.decrementAndGet();
      answer.now(value, named(failed));
    }

    @Override
    public void timedOut(StoreException failed) {
      answer.timedOut(failure(failed.failure(), String.valueOf(failed.getMessage())));
    }

    @Override
    public void late(@Nullable T value, @Nullable StoreException failed) {
      underWay.decrementAndGet();
      answer.late(value, named(failed));
    }

    private @Nullable StoreException named(@Nullable StoreException failed) {
      return failed == null
          ? null
          : new StoreException(failed.failure(), name + ": " + failed.getMessage(), failed);
    }
  }

  /** Whether the next attempt may count on its answer, as far as the last one tells. */
  boolean isPrompt() {
    return prompt;
  }

  /** It has not answered an attempt promptly. */
  void wasLate() {
    prompt = false;
  }

  /** Attempts once; the answer comes once, as a failure if it did not come in time. */
  void attempt(
      Ticket ticket,
      Duration within,
      BiConsumer<@Nullable Attempt, @Nullable StoreException> heard) {
    Sent attempts = begin(ticket.id());
    long began = clock.nanos();
    ask(
        Work.CALLER,
        within,
        (store, left) -> store.attempt(ticket, left),
        new StoreCalls.Answer<Attempt>() {
          @Override
          public void now(@Nullable Attempt value, @Nullable StoreException failed) {
            prompt = failed == null && clock.nanos() - began < QuorumHedge.PROMPT_NANOS;
            ended(ticket, attempts, failed);
            heard.accept(value, failed);
          }

          @Override
          public void timedOut(StoreException failed) {
            wasLate();
            heard.accept(null, failed);
          }

          @Override
          public void late(@Nullable Attempt value, @Nullable StoreException failed) {
            ended(ticket, attempts, failed);
          }
        });
  }

  private Sent begin(LeaseId id) {
    mutex.lock();
    try {
      Sent attempts = sent.computeIfAbsent(id, unused -> new Sent());
      attempts.begin();
      attempts.number++;
      return attempts;
    } finally {
      mutex.unlock();
    }
  }

  private void ended(Ticket ticket, Sent attempts, @Nullable StoreException failed) {
    mutex.lock();
    try {
      if (sent.get(ticket.id()) == attempts) {
        attempts.end(failed);
        if (attempts.released || (!attempts.leaving && !attempts.mayLand())) {
          sent.remove(ticket.id());
        }
        return;
      }
    } finally {
      mutex.unlock();
    }
    // It is over, and its attempts are the limbo's
    Member member = open;
    if (member != null) {
      member.limbo.attemptEnded(ticket, failed);
    }
  }

  /**
   * Releases it, and then what lands late of it.
   *
   * @param once whether the members were asked for it once only
   */
  void release(
      Ticket ticket,
      boolean once,
      Duration within,
      BiConsumer<@Nullable Release, @Nullable StoreException> heard) {
    leave(ticket.id());
    ask(
        Work.CALLER,
        within,
        (store, left) -> store.release(ticket, left),
        (value, failed) -> {
          // What is not held may wait there
          if (value != Release.RELEASED || mayLandLate(ticket.id(), once)) {
            CompletableFuture<?> unused = end(ticket);
          }
          heard.accept(value, failed);
        });
  }

  private void leave(LeaseId id) {
    mutex.lock();
    try {
      Sent attempts = sent.get(id);
      if (attempts != null) {
        attempts.leaving = true;
      }
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Whether an attempt may land, or has landed, after it was released. If there was only one, that
   * is what was released, though its answer is still to come from a slow member. After several it
   * may have been what the member's queue granted by itself.
   */
  private boolean mayLandLate(LeaseId id, boolean once) {
    mutex.lock();
    try {
      Sent attempts = sent.get(id);
      if (attempts == null || !once || attempts.number > 1) {
        return attempts != null;
      }
      attempts.released = true;
      if (!attempts.arePending()) {
        sent.remove(id);
      }
      return false;
    } finally {
      mutex.unlock();
    }
  }

  /**
   * The acquisition is over: withdraws what is left of it until nothing is. Completes then, or
   * never.
   */
  CompletableFuture<@Nullable Void> end(Ticket ticket) {
    Sent attempts;
    mutex.lock();
    try {
      attempts = sent.remove(ticket.id());
    } finally {
      mutex.unlock();
    }
    Member member = open;
    if (member == null) {
      // Nothing was ever sent there
      return CompletableFuture.completedFuture(null);
    }
    if (attempts != null || !member.limbo.contains(ticket.id())) {
      member.limbo.add(ticket, attempts == null ? new Attempts() : attempts).run();
    }
    return member.limbo.end(ticket.id());
  }

  /** Renews a batch; what is not asked is answered as unknown. */
  void renew(
      Collection<Ticket> tickets,
      boolean poll,
      Duration within,
      BiConsumer<LeaseId, Renewal> each) {
    Member member = open;
    if (member == null) {
      Renewal unknown = new Renewal.Unknown(silent());
      tickets.forEach(ticket -> each.accept(ticket.id(), unknown));
      return;
    }
    Runnable batch = () -> member.calls.renew(member.store, tickets, within, each);
    if (poll) {
      member.calls.poll(batch);
    } else {
      member.calls.renewal(batch);
    }
  }

  // ---- the end

  /** Whether nothing is under way and nothing is left to withdraw. */
  boolean isIdle() {
    Member member = open;
    return member == null || (underWay.get() == 0 && member.limbo.size() == 0);
  }

  /** Ends it without waiting; completes once its store is closed. */
  CompletableFuture<@Nullable Void> close() {
    CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    Member member;
    mutex.lock();
    try {
      closed = true;
      member = open;
    } finally {
      mutex.unlock();
    }
    threads.callback(
        Lane.ENGINE,
        () -> {
          try {
            if (member != null) {
              member.calls.close();
              member.limbo.close();
              member.store.close();
            }
          } finally {
            end.complete(null);
          }
        });
    return end.whenComplete((done, failed) -> threads.callback(threads::close));
  }

  /** Only what the store found out is passed on: wake-ups of all members would come at once. */
  private final class Reports implements StoreListener {
    @Override
    public void wake(LeaseId id) {}

    @Override
    public void reconnected() {}

    @Override
    public void lost(Collection<LeaseId> ids) {}

    @Override
    public void found(Finding finding) {
      listener.found(of(finding));
    }
  }

  /** The same, with the name of this member. */
  Finding of(Finding finding) {
    return new Finding(finding.level(), finding.check(), name + ": " + finding.detail());
  }
}
