package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Traits.Calls;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a verb so that it is answered in time, once, and with a {@link StoreException} only,
 * whatever the store does.
 */
final class StoreCalls {
  /**
   * A store whose verbs block ends them in the time it is told; this much later it is not believed
   * to answer at all. Others leave the end to us.
   */
  private static final long BLOCKING_GRACE_NANOS = 100_000_000;

  private final Scheduler scheduler;
  private final long graceNanos;

  private final AtomicLong count = new AtomicLong();

  /** Calls that were not answered at once, by number: in an order that depends on nothing else. */
  private final Map<Long, Guard<?>> open = new ConcurrentHashMap<>();

  StoreCalls(Scheduler scheduler, Calls calls) {
    this.scheduler = scheduler;
    this.graceNanos = calls == Calls.BLOCKING ? BLOCKING_GRACE_NANOS : 0;
  }

  /** Takes the answer to one call. */
  interface Answer<T> {
    /** The answer: a failure, or the value. */
    void now(@Nullable T value, @Nullable StoreException failure);

    /** Told instead of {@link #now} if the answer did not come in time. */
    default void timedOut(StoreException failure) {
      now(null, failure);
    }

    /** As {@link #now}, after {@link #timedOut}. */
    default void late(@Nullable T value, @Nullable StoreException failure) {}
  }

  <T> void call(Supplier<CompletionStage<T>> verb, long withinNanos, Answer<T> answer) {
    CompletionStage<T> stage;
    try {
      stage = verb.get();
    } catch (RuntimeException e) {
      answer.now(null, asStoreException(e));
      return;
    }
    if (stage.getClass() == CompletableFuture.class
        && stage instanceof CompletableFuture<T> future
        && future.isDone()) {
      answeredAtOnce(future, answer);
      return;
    }
    Guard<T> guard = new Guard<>(answer);
    stage.whenComplete(guard::answered);
    if (!guard.done.get()) {
      open.put(guard.number, guard);
      guard.timer = scheduler.schedule(guard::timedOut, withinNanos + graceNanos);
      guard.settleIfDone();
    }
  }

  /** What a caller that nobody contends with pays for: no guard, no timer. */
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
    this.<T>call(
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

  /** Answers every open call as one whose answer did not come: nobody waits for it any longer. */
  void close() {
    open.values().forEach(Guard::timedOut);
  }

  private final class Guard<T> {
    private final long number = count.incrementAndGet();
    private final Answer<T> answer;
    private final AtomicBoolean done = new AtomicBoolean();
    private volatile Scheduler.@Nullable Timer timer;

    Guard(Answer<T> answer) {
      this.answer = answer;
    }

    void answered(@Nullable T value, @Nullable Throwable thrown) {
      StoreException failure = thrown == null ? null : asStoreException(thrown);
      if (done.compareAndSet(false, true)) {
        settleIfDone();
        answer.now(value, failure);
      } else {
        answer.late(value, failure);
      }
    }

    void timedOut() {
      if (done.compareAndSet(false, true)) {
        settleIfDone();
        answer.timedOut(
            new StoreException(Failure.UNKNOWN_OUTCOME, "the store did not answer in time", null));
      }
    }

    void settleIfDone() {
      if (!done.get()) {
        return;
      }
      open.remove(number);
      Scheduler.Timer t = timer;
      if (t != null) {
        t.cancel();
      }
    }
  }

  /** What a store threw, as what it should have thrown. */
  static StoreException asStoreException(Throwable thrown) {
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
