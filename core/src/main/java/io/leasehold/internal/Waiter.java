package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockTimeoutException;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Scheduler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for a lock: a parked thread, or a future. Its fields are guarded by its
 * queue's mutex where nothing else is said.
 */
final class Waiter {
  private static final VarHandle ERRAND;

  static {
    try {
      ERRAND =
          MethodHandles.lookup().findVarHandle(Waiter.class, "errand", StoreCalls.Request.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final String name;
  final Terms terms;
  final Ticket.Intent intent;
  final long since;
  final Deadline deadline;

  /** The parked thread; null if {@link #future} waits. */
  final @Nullable Thread thread;

  final @Nullable PendingLease future;

  /** The course in which it waits; empty if it is not known. */
  final String traceId;

  /** Its place among the callers. */
  boolean queued;

  @Nullable Waiter before;
  @Nullable Waiter after;

  /** Set for a caller that contends by a ticket of its own. */
  @Nullable Contender own;

  /** Whether it has asked the store if it may share the lease of this process. */
  boolean hasAskedToJoin;

  /** Whether its waiting was told as an event. */
  boolean announced;

  Scheduler.@Nullable Timer timer;

  private final Engine engine;
  private volatile @Nullable Outcome outcome;

  /** A request that the parked thread is to make itself. */
  private volatile StoreCalls.@Nullable Request errand;

  /** By whose ticket the parked thread hears of its grant itself; null if it is to be woken. */
  private volatile @Nullable Contender heard;

  Waiter(
      Engine engine,
      String name,
      Terms terms,
      Ticket.Intent intent,
      Deadline deadline,
      @Nullable Thread thread,
      @Nullable PendingLease future,
      String traceId) {
    this.engine = engine;
    this.name = name;
    this.since = engine.clock.nanos();
    this.terms = terms;
    this.intent = intent;
    this.deadline = deadline;
    this.thread = thread;
    this.future = future;
    this.traceId = traceId;
  }

  /** How a wait ended: with a lease, or by one of these. */
  sealed interface Outcome permits Hold, Failed, Busy, Withdrawn {}

  /** It failed. */
  record Failed(RuntimeException why) implements Outcome {}

  /** The caller no longer wants it. */
  enum Withdrawn implements Outcome {
    WITHDRAWN
  }

  /** That the lock was held. An exception is made of it only where one is thrown. */
  record Busy(String name, String holder, Duration waited) implements Outcome {
    LockTimeoutException asException() {
      return new LockTimeoutException(
          "lock '"
              + name
              + "': not acquired within "
              + Durations.show(waited)
              + ", it is held by "
              + (holder.isEmpty() ? "another" : holder)
              + "; wait longer, or ask who holds it with inspect()");
    }
  }

  /** Found busy. */
  Outcome busy(String holder) {
    return new Busy(name, holder, age());
  }

  private StoreCalls.@Nullable Request takeErrand() {
    return errand == null ? null : (StoreCalls.Request) ERRAND.getAndSet(this, null);
  }

  /** Whether it wants the lock alone, or not at all. */
  boolean isTryAlone() {
    return intent == Ticket.Intent.TRY && terms.mode() == LockMode.EXCLUSIVE;
  }

  /** How long it has waited. */
  Duration age() {
    return engine.since(since);
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  /** Under the mutex, once. */
  void end(Outcome end, Steps steps) {
    outcome = end;
    Flight.acquired(this, end);
    if (timer != null) {
      timer.cancel();
    }
    StoreCalls.Request left = takeErrand();
    if (left != null) {
      steps.add(left::runElsewhere);
    }
    if (Thread.currentThread().equals(thread)) {
      return;
    }
    if (thread != null) {
      wake(steps);
    } else if (end != Withdrawn.WITHDRAWN) {
      PendingLease target = requireNonNull(future);
      steps.add(() -> target.completer.execute(() -> complete(target, end)));
    }
  }

  private void complete(PendingLease target, Outcome end) {
    if (end instanceof Busy busy) {
      target.completeExceptionally(busy.asException());
    } else if (end instanceof Failed failed) {
      target.completeExceptionally(failed.why());
    } else if (end instanceof Hold hold && !target.complete(hold)) {
      // Cancelled at the moment of the grant: nothing else will ever release it.
      engine.calls.background(hold::releaseUnwatched);
    }
  }

  /** Under the mutex: lets the parked thread make a request. */
  void send(StoreCalls.Request request, Steps steps) {
    errand = request;
    wake(steps);
  }

  /**
   * Once the mutex is released: the kernel may run the woken thread at once in place of this one,
   * and it would meet the mutex.
   */
  private void wake(Steps steps) {
    steps.addFirst(() -> engine.scheduler.unpark(thread));
  }

  /** Under the mutex, on the parked thread: from now on it hears of its grant itself. */
  void hearBy(Contender contender) {
    heard = contender;
  }

  /** Whether it is this contender's ticket by which it does. */
  boolean hears(Contender contender) {
    return heard == contender;
  }

  /** Hears for a while instead of being parked; false if it is to be parked. */
  private boolean hear(long most) {
    Contender contender = heard;
    if (contender == null) {
      return false;
    }
    // An interrupt could end a connection that the caller reads from
    if (Thread.currentThread().isInterrupted() || !contender.hear(most)) {
      stopHearing();
    }
    return true;
  }

  private void stopHearing() {
    Contender contender = heard;
    if (contender != null) {
      heard = null;
      contender.notHeard();
    }
  }

  /**
   * Parks the calling thread until the wait is over, making requests meanwhile.
   *
   * @return how it ended; null if the deadline passed or, if it may be, the thread was interrupted
   *     (the flag stays set)
   */
  @Nullable Outcome await(Deadline until, boolean interruptible) {
    boolean interrupted = false;
    try {
      while (true) {
        boolean isToLeave = interruptible && Thread.currentThread().isInterrupted();
        StoreCalls.Request request = isToLeave ? null : takeErrand();
        if (request != null) {
          request.run();
          continue;
        }
        Outcome end = outcome;
        if (end != null) {
          stopHearing();
          return end;
        }
        if (isToLeave) {
          return null;
        }
        long left = until.left(engine.clock.nanos());
        if (left <= 0) {
          return null;
        }
        if (!hear(left)) {
          engine.scheduler.park(this, left);
        }
        if (!interruptible && Thread.interrupted()) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A lease that is waited for without a thread; completed where the caller wants it. */
  static final class PendingLease extends CompletableFuture<Lease> {
    final Executor completer;

    PendingLease(Executor completer) {
      this.completer = completer;
    }
  }
}
