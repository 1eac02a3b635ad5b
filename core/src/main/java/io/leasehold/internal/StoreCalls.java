package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import io.leasehold.spi.support.Scheduler.Work;
import io.leasehold.spi.support.VirtualThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a verb so that it is answered in time, once, and with a {@link StoreException} only,
 * whatever the store does.
 */
public final class StoreCalls {
  /**
   * A store whose verbs block ends them in the time it is told; this much later it is not believed
   * to answer at all. Others leave the end to us.
   */
  private static final long BLOCKING_GRACE_NANOS = 100_000_000;

  private static final long LEAST_PAUSE_NANOS = 1_000_000;

  /** Less is no real chance. */
  static final long LEAST_NANOS = 1_000_000;

  /** For a caller that was answered before, less is not worth asking again. */
  static final long LEAST_AGAIN_NANOS = 2_000_000;

  /** For a first answer, the same: it takes a while until a request is sent. */
  private static final long LEAST_FIRST_NANOS = 10_000_000;

  private static final long LEAST_WHOLE_NANOS = 50_000_000;

  private final Clock clock;
  private final Scheduler scheduler;
  private final long requestNanos;
  private final boolean blocking;
  private final long graceNanos;

  private final AtomicLong count = new AtomicLong();

  /** Calls that were not answered at once, by number: in an order that depends on nothing else. */
  private final Map<Long, Guard<?>> open = new ConcurrentHashMap<>();

  /**
   * Looks at them when the first is late. One for all, which stays though they are answered: nearly
   * all are, and a timer for each would wake the timer's thread on the way to the next holder.
   */
  private final EarliestTimer timer;

  /** From then on no timer ends a call. */
  private volatile boolean closed;

  public StoreCalls(Clock clock, Scheduler scheduler, long requestNanos, Calls calls) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.requestNanos = requestNanos;
    this.blocking = calls == Calls.BLOCKING;
    this.graceNanos = blocking ? BLOCKING_GRACE_NANOS : 0;
    this.timer = new EarliestTimer(scheduler, this::endLate);
  }

  /** A request for a caller: made on the caller's own thread, or on one of the engine's. */
  interface Request extends Runnable {
    /** Makes it on the calling thread. Without the mutex. */
    @Override
    void run();

    /** Makes it on a thread of the engine's. Without the mutex. */
    void runElsewhere();
  }

  /** Takes the answer to one call. */
  public interface Answer<T> {
    /** The answer: a failure, or the value. */
    void now(@Nullable T value, @Nullable StoreException failure);

    /** Told instead of {@link #now} if the answer did not come in time. */
    default void timedOut(StoreException failure) {
      now(null, failure);
    }

    /** As {@link #now}, after {@link #timedOut}. */
    default void late(@Nullable T value, @Nullable StoreException failure) {}
  }

  // ---- on which thread

  /** A request for a caller. */
  void forCaller(@Nullable Waiter caller, Request request, Steps steps) {
    if (!blocking) {
      steps.add(request);
    } else if (caller == null || !lendsItsThread(caller)) {
      steps.add(request::runElsewhere);
    } else if (Thread.currentThread().equals(caller.thread)) {
      // One that was interrupted meanwhile is to leave, not to make another request
      steps.add(Thread.currentThread().isInterrupted() ? request::runElsewhere : request);
    } else {
      caller.send(request, steps);
    }
  }

  private static boolean lendsItsThread(Waiter caller) {
    Thread thread = caller.thread;
    return thread != null && caller.outcome() == null && !VirtualThreads.isVirtual(thread);
  }

  /** How long a request for this caller may take for the sake of the thread it runs on. */
  long timeLeft(@Nullable Waiter caller) {
    boolean borrowed = blocking && caller != null && Thread.currentThread().equals(caller.thread);
    if (!borrowed || caller == null) {
      return Long.MAX_VALUE;
    }
    long now = clock.nanos();
    return caller.intent == Intent.TRY
        ? requestNanos - (now - caller.since)
        : caller.deadline.left(now);
  }

  /**
   * Work of the engine's own that makes requests; dropped once it is closed. It lets leases go that
   * nothing else would, so it is tried again until there is a thread for it.
   */
  void background(Runnable request) {
    if (blocking) {
      scheduler.background(request);
    } else {
      request.run();
    }
  }

  /** A poll; dropped once the engine is closed. */
  public void poll(Runnable request) {
    if (!blocking) {
      request.run();
      return;
    }
    try {
      scheduler.request(Work.POLL, request);
    } catch (RejectedExecutionException closed) {
      // No caller waits any more
    }
  }

  /** A batch of renewals. */
  public void renewal(Runnable request) {
    if (blocking) {
      scheduler.renewal(request);
    } else {
      request.run();
    }
  }

  // ---- one answer

  /**
   * On the calling thread. Verbs that block must not run on a virtual one: see {@link #callHere}.
   */
  <T> void call(Supplier<CompletionStage<T>> verb, long withinNanos, Answer<T> answer) {
    CompletionStage<T> stage;
    try {
      stage = verb.get();
    } catch (RuntimeException | Error e) {
      stage = failed(e);
    }
    await(stage, withinNanos, answer);
  }

  /**
   * Takes the answer to a verb that was called. A release is called apart from the others: at one
   * place for all, the JVM's compiler takes it for an attempt, and compiles those a second time.
   */
  <T> void await(CompletionStage<T> stage, long withinNanos, Answer<T> answer) {
    if (stage.getClass() == CompletableFuture.class
        && stage instanceof CompletableFuture<T> future
        && future.isDone()) {
      answeredAtOnce(future, answer);
      return;
    }
    Guard<T> guard = new Guard<>(answer);
    stage.whenComplete(guard::answered);
    if (!guard.done.get()) {
      guard.start(withinNanos);
    }
  }

  /**
   * On the calling thread, or on one of the engine's if that is virtual and the verb blocks: an
   * interrupt would close the socket under it, which others share.
   */
  <T> void callHere(Supplier<CompletionStage<T>> verb, long withinNanos, Answer<T> answer) {
    if (!mayCallHere()) {
      callElsewhere(Work.CALLER, verb, withinNanos, answer);
    } else {
      call(verb, withinNanos, answer);
    }
  }

  /** Whether a verb may be called on the calling thread. */
  boolean mayCallHere() {
    return !blocking || !VirtualThreads.isVirtual(Thread.currentThread());
  }

  /** On the calling thread: see {@link LockStore#hear}. */
  static boolean hear(LockStore store, Ticket ticket, long withinNanos) {
    try {
      return store.hear(ticket, Duration.ofNanos(withinNanos));
    } catch (RuntimeException | Error e) {
      // The caller waits on, and another thread wakes it
      Log.error("the store failed while a caller listened to it", e);
      return false;
    }
  }

  /** A request of the engine's own: on a thread of its own if the verb blocks. */
  public <T> void callOwn(
      Work work, Supplier<CompletionStage<T>> verb, long withinNanos, Answer<T> answer) {
    if (blocking) {
      callElsewhere(work, verb, withinNanos, answer);
    } else {
      call(verb, withinNanos, answer);
    }
  }

  /** On a thread of the engine's; answered in time also if none comes free. */
  <T> void callElsewhere(
      Work work, Supplier<CompletionStage<T>> verb, long withinNanos, Answer<T> answer) {
    Guard<T> guard = new Guard<>(answer);
    guard.start(withinNanos);
    try {
      scheduler.request(work, () -> ask(verb, guard));
    } catch (RuntimeException | Error e) {
      guard.answered(
          null, new StoreException(Failure.UNAVAILABLE, "no thread to ask the store on: " + e, e));
    }
  }

  private <T> void ask(Supplier<CompletionStage<T>> verb, Guard<T> guard) {
    if (guard.done.get()) {
      guard.answered(null, notSent());
      return;
    }
    CompletionStage<T> stage;
    try {
      stage = verb.get();
    } catch (RuntimeException | Error e) {
      guard.answered(null, thrown(e));
      return;
    }
    stage.whenComplete(guard::answered);
  }

  /** A request whose time was over before a thread came free for it. */
  static StoreException notSent() {
    return new StoreException(
        Failure.UNAVAILABLE, "no thread came free in time to ask the store on", null);
  }

  /** Asks about several tickets; each is answered, also if the store throws. */
  public void renew(
      LockStore store,
      Collection<Ticket> tickets,
      Duration within,
      BiConsumer<LeaseId, Renewal> each) {
    try {
      store.renew(tickets, within, each);
    } catch (RuntimeException | Error e) {
      Renewal unknown = new Renewal.Unknown(thrown(e));
      tickets.forEach(ticket -> each.accept(ticket.id(), unknown));
    }
  }

  /** What a caller pays for that contends with none: no guard, no timer. */
  private static <T> void answeredAtOnce(CompletableFuture<T> future, Answer<T> answer) {
    T value;
    try {
      value = future.join();
    } catch (CompletionException | CancellationException e) {
      answer.now(null, asStoreException(e));
      return;
    }
    answer.now(value, null);
  }

  /**
   * Calls a verb and waits for its answer, not interruptibly; keeps the flag.
   *
   * @throws StoreException if it failed
   */
  <T> T callAndWait(Supplier<CompletionStage<T>> verb, long withinNanos) {
    CompletableFuture<T> done = new CompletableFuture<>();
    this.<T>callHere(
        verb,
        withinNanos,
        (value, failed) -> {
          if (failed != null) {
            done.completeExceptionally(failed);
          } else {
            done.complete(value);
          }
        });
    try {
      return done.join();
    } catch (CompletionException e) {
      StoreException failed = asStoreException(e);
      throw new StoreException(failed.failure(), String.valueOf(failed.getMessage()), failed);
    }
  }

  /**
   * Answers every open call as one whose answer did not come: no caller waits for it any longer.
   */
  public void close() {
    closed = true;
    open.values().forEach(Guard::timedOut);
  }

  private void endLate() {
    long now = clock.nanos();
    long next = Long.MAX_VALUE;
    for (Guard<?> guard : open.values()) {
      if (guard.until - now <= 0) {
        end(guard);
      } else {
        next = Math.min(next, guard.until - now);
      }
    }
    if (next != Long.MAX_VALUE) {
      // A silent store is asked by many: all of them are looked at each time
      timer.runIn(Math.max(LEAST_PAUSE_NANOS, next), now);
    }
  }

  /** What goes wrong with one must not keep the others from their end. */
  private void end(Guard<?> guard) {
    try {
      guard.timedOut();
    } catch (RuntimeException | Error e) {
      // Not here: this is the timer, and a logger may block
      scheduler.callback(
          Lane.EVENT, () -> Log.error("a late request to the store could not be ended", e));
    }
  }

  // ---- how long

  /** For the first attempt of one that has waited for its turn to ask. */
  long forFirstAttempt(Terms terms, long since) {
    return Math.max(LEAST_NANOS, Math.min(whole(terms), timeToFirstAnswer(since)));
  }

  private long whole(Terms terms) {
    return Math.min(requestNanos, Math.max(LEAST_WHOLE_NANOS, terms.ttlNanos() / 2));
  }

  /**
   * For the next attempt.
   *
   * @param since when the ticket began to contend
   * @param answered whether the store has answered an attempt of it before
   */
  long forAttempt(Terms terms, long since, boolean answered) {
    long whole = whole(terms);
    long left = timeToFirstAnswer(since);
    return answered || left < LEAST_NANOS ? whole : Math.min(whole, left);
  }

  /** For a watch: of no use to a caller that has left. */
  long forWatch(@Nullable Waiter caller) {
    if (caller == null) {
      return requestNanos;
    }
    long left = caller.deadline.left(clock.nanos());
    return Math.min(requestNanos, Math.max(LEAST_WHOLE_NANOS, left));
  }

  /** In which an attempt must be answered that waits for a thread first. */
  long forAnswer(long since, boolean answered) {
    long left = timeToFirstAnswer(since);
    return answered || left < LEAST_NANOS ? requestNanos : left;
  }

  /** Whether the first answer may still come in time, if the request for it is sent now. */
  boolean allowsAnother(long since) {
    return timeToFirstAnswer(since) >= LEAST_FIRST_NANOS;
  }

  private long timeToFirstAnswer(long since) {
    return requestNanos - (clock.nanos() - since);
  }

  private final class Guard<T> {
    private final long number = count.incrementAndGet();
    private final Answer<T> answer;
    private final AtomicBoolean done = new AtomicBoolean();

    /** When it is late. */
    private long until;

    Guard(Answer<T> answer) {
      this.answer = answer;
    }

    void start(long withinNanos) {
      long now = clock.nanos();
      until = now + withinNanos + graceNanos;
      open.put(number, this);
      timer.runIn(withinNanos + graceNanos, now);
      if (done.get()) {
        open.remove(number);
      }
      if (closed) {
        timedOut();
      }
    }

    void answered(@Nullable T value, @Nullable Throwable thrown) {
      StoreException failure = thrown == null ? null : asStoreException(thrown);
      if (done.compareAndSet(false, true)) {
        open.remove(number);
        answer.now(value, failure);
      } else {
        answer.late(value, failure);
      }
    }

    void timedOut() {
      if (done.compareAndSet(false, true)) {
        open.remove(number);
        answer.timedOut(
            new StoreException(Failure.UNKNOWN_OUTCOME, "the store did not answer in time", null));
      }
    }
  }

  /** As a verb should have failed that threw instead. */
  <T> CompletionStage<T> failed(Throwable thrown) {
    return CompletableFuture.failedFuture(thrown(thrown));
  }

  /** What a verb threw instead of failing its stage: an error is reported, too. */
  private StoreException thrown(Throwable thrown) {
    if (thrown instanceof Error) {
      // Not here: a caller waits for what comes of it, and a logger may block
      scheduler.callback(
          Lane.EVENT, () -> Log.error("a request to the store ended with an error", thrown));
    }
    return asStoreException(thrown);
  }

  /** What a store threw, as what it should have thrown. */
  public static StoreException asStoreException(Throwable thrown) {
    Throwable t = thrown;
    while (t instanceof CompletionException && t.getCause() != null) {
      t = t.getCause();
    }
    if (t instanceof StoreException e) {
      return e;
    }
    return new StoreException(Failure.UNKNOWN_OUTCOME, "the store failed: " + t, t);
  }
}
