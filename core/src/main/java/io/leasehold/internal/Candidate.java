package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.ClientClosedException;
import io.leasehold.Leadership;
import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockSnapshot;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One that takes part in an election by a lock: waits for it without a thread, leads while it holds
 * it, and takes part again. The lock does the waiting, the renewing and the retrying.
 */
final class Candidate implements Leadership {
  /**
   * As often as a waiter asks at most: a fleet that lost its leader asks no more than one waits.
   */
  private static final long PAUSE_NANOS = 1_000_000_000;

  /** Of jeopardy that comes and goes while the listener runs. */
  private static final int MOST_IN_ARREARS = 1_000;

  private final LockHandle lock;
  private final Engine engine;
  private final LeadershipListener listener;
  private final String traceId;
  private final Lineup<Report> reports;

  /** Nothing of the engine is called under it that takes another. */
  private final ReentrantLock mutex = new ReentrantLock();

  private boolean hasLeft;
  private boolean hasFailed;
  private @Nullable CompletableFuture<Lease> waiting;
  private Scheduler.@Nullable Timer pause;
  private volatile @Nullable Term term;

  /** Completes when a term begins or the candidacy ends. */
  private CompletableFuture<@Nullable Void> change = new CompletableFuture<>();

  Candidate(LockHandle lock, LeadershipListener listener) {
    this.lock = lock;
    this.engine = lock.engine;
    this.listener = requireNonNull(listener, "listener");
    this.traceId = engine.identity.traceId();
    this.reports =
        new Lineup<>(
            engine.scheduler,
            Lane.LEADER,
            MOST_IN_ARREARS,
            Report::matters,
            report -> report.code.run(),
            dropped ->
                Log.warn(this + ": its listener is too slow: " + dropped + " events were dropped"));
  }

  /** What the listener hears, and what follows from it. */
  private record Report(boolean matters, Runnable code) {}

  Candidate stand() {
    engine.candidates.add(this);
    if (engine.isClosed()) {
      leave();
      throw new ClientClosedException(this + ": the client was closed");
    }
    contend();
    return this;
  }

  // ---- Leadership

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public boolean isLeader() {
    return lease().isPresent();
  }

  @Override
  public Optional<Lease> lease() {
    Term now = term;
    return now == null || !now.hold.isHeld() ? Optional.empty() : Optional.of(now.hold);
  }

  @Override
  public Optional<Lease> awaitLeadership(Duration maxWait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Deadline until = Deadline.in(maxWait, engine.clock.nanos());
    while (true) {
      CompletableFuture<@Nullable Void> next = nextChange();
      Optional<Lease> lease = lease();
      if (engine.isClosed()) {
        throw new ClientClosedException(this + ": the client was closed");
      }
      long left = until.left(engine.clock.nanos());
      if (lease.isPresent() || next == null || left <= 0) {
        return lease;
      }
      await(next, left);
    }
  }

  /** Looks again now and then: a lease in doubt is held once a renewal is answered. */
  private static void await(CompletableFuture<?> next, long left) throws InterruptedException {
    try {
      Object unused = next.get(Math.min(left, PAUSE_NANOS), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The caller looks at the clock; it never fails
    }
  }

  /** Null once there will be none. */
  private @Nullable CompletableFuture<@Nullable Void> nextChange() {
    mutex.lock();
    try {
      return hasLeft ? null : change;
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public Optional<LockSnapshot> inspect() {
    return lock.inspect();
  }

  @Override
  public void resign() {
    leave();
    Term last = term;
    if (last == null) {
      return;
    }
    CompletableFuture<@Nullable Void> served = last.halt();
    Deadline.in(engine.requestTimeout, engine.clock.nanos()).await(served, engine);
    try {
      last.hold.release();
    } catch (LeaseLostException e) {
      // Nothing to give up: the listener hears of the loss
    }
  }

  /** As {@link #resign()}, without waiting. */
  void resignLater() {
    leave();
    Term last = term;
    if (last != null) {
      CompletableFuture<?> unused = last.halt().thenCompose(halted -> last.hold.letGo(true));
    }
  }

  /** Takes part no more. A term that it has goes on. */
  void leave() {
    CompletableFuture<Lease> wait;
    mutex.lock();
    try {
      hasLeft = true;
      wait = waiting;
      if (pause != null) {
        pause.cancel();
      }
    } finally {
      mutex.unlock();
    }
    engine.candidates.remove(this);
    if (wait != null) {
      wait.cancel(true);
    }
    changed();
  }

  private void changed() {
    CompletableFuture<@Nullable Void> was;
    mutex.lock();
    try {
      was = change;
      change = new CompletableFuture<>();
    } finally {
      mutex.unlock();
    }
    was.complete(null);
  }

  // ---- the election

  private void contend() {
    CompletableFuture<Lease> wait;
    try {
      wait = lock.begin(Deadline.NONE, Intent.QUEUE, engine.completers.ofEngine, traceId).future();
    } catch (RuntimeException | Error e) {
      // On the timer, where it would end the candidacy in silence
      failed(asException(e));
      return;
    }
    boolean late;
    mutex.lock();
    try {
      late = hasLeft;
      waiting = wait;
    } finally {
      mutex.unlock();
    }
    if (late) {
      wait.cancel(true);
    }
    CompletableFuture<Lease> unused = wait.whenComplete(this::answered);
  }

  private void answered(@Nullable Lease lease, @Nullable Throwable thrown) {
    if (lease instanceof Hold hold) {
      begin(new Term(hold));
    } else if (!wasLeft()) {
      failed(asException(requireNonNull(thrown)));
    }
  }

  private static RuntimeException asException(Throwable thrown) {
    return thrown instanceof RuntimeException why ? why : new IllegalStateException(thrown);
  }

  private boolean wasLeft() {
    return nextChange() == null;
  }

  private void begin(Term elected) {
    boolean late;
    mutex.lock();
    try {
      late = hasLeft;
      waiting = null;
      hasFailed = false;
      if (!late) {
        term = elected;
      }
    } finally {
      mutex.unlock();
    }
    if (late) {
      CompletableFuture<Void> unused = elected.hold.letGo(true);
      return;
    }
    reports.add(new Report(true, elected::serve));
    elected.hold.watch(elected);
    changed();
  }

  private void failed(RuntimeException why) {
    boolean first;
    mutex.lock();
    try {
      first = !hasFailed;
      hasFailed = true;
      waiting = null;
    } finally {
      mutex.unlock();
    }
    if (first) {
      engine.warnings.add(
          () -> this + " cannot take part now, and tries again each second: " + why.getMessage());
    }
    reports.add(
        new Report(
            true,
            () -> {
              tell(() -> listener.failed(why));
              standAgain();
            }));
  }

  private void tell(Runnable what) {
    Events.isolated(what, () -> this + ": its listener threw");
  }

  private void standAgain() {
    mutex.lock();
    try {
      if (!hasLeft) {
        long jitter = Math.floorMod(engine.clock.nanos(), PAUSE_NANOS / 2);
        pause = engine.scheduler.schedule(this::contend, PAUSE_NANOS + jitter);
      }
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public String toString() {
    return "leadership '" + lock.name() + "'";
  }

  /** One term, from the grant of the lock to its end. */
  private final class Term implements Watcher {
    final Hold hold;

    /** Where the listener's {@code elected} runs. Guarded by the mutex. */
    private @Nullable Thread server;

    private CompletableFuture<@Nullable Void> served = CompletableFuture.completedFuture(null);
    private boolean over;
    private boolean interrupted;

    /** Whether the listener has heard of it. Used where it hears. */
    private boolean told;

    Term(Hold hold) {
      this.hold = hold;
    }

    /** Tells the listener that it leads, and lets it work. */
    private void serve() {
      mutex.lock();
      try {
        if (over) {
          return;
        }
        server = Thread.currentThread();
        served = new CompletableFuture<>();
      } finally {
        mutex.unlock();
      }
      told = true;
      boolean ended = false;
      try {
        listener.elected(hold);
        ended = true;
      } catch (InterruptedException e) {
        // As it is told to by the end of the term
        ended = isOver();
      } catch (RuntimeException | Error e) {
        Log.error(Candidate.this + ": its listener threw when it was elected, and steps down", e);
      } finally {
        served();
        if (!ended) {
          CompletableFuture<Void> unused = hold.letGo(true);
        }
      }
    }

    private boolean isOver() {
      mutex.lock();
      try {
        return over;
      } finally {
        mutex.unlock();
      }
    }

    private void served() {
      mutex.lock();
      try {
        server = null;
        // Meant for what is over
        Thread.interrupted();
      } finally {
        mutex.unlock();
      }
      served.complete(null);
    }

    /**
     * Lets what the listener does for this term come to its end.
     *
     * @return completes when it has; at once where the listener itself asks
     */
    CompletableFuture<@Nullable Void> halt() {
      mutex.lock();
      try {
        over = true;
        if (server == null || server.equals(Thread.currentThread())) {
          return CompletableFuture.completedFuture(null);
        }
        if (!interrupted) {
          interrupted = true;
          server.interrupt();
        }
        return served;
      } finally {
        mutex.unlock();
      }
    }

    // ---- under the mutex of the lock's queue

    @Override
    public void endangered(Duration left) {
      reports.add(new Report(false, () -> tell(() -> listener.jeopardy(left))));
    }

    @Override
    public void rescued() {
      reports.add(new Report(false, () -> tell(listener::recovered)));
    }

    @Override
    public void lost(Reason reason) {
      end(() -> listener.lost(reason));
    }

    @Override
    public void released() {
      end(listener::resigned);
    }

    private void end(Runnable how) {
      CompletableFuture<?> unused = halt();
      term = null;
      reports.add(
          new Report(
              true,
              () -> {
                tell(how);
                standAgain();
              }));
    }

    private void tell(Runnable what) {
      if (told) {
        Candidate.this.tell(what);
      }
    }
  }
}
