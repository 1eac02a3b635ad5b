package io.leasehold.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of the engine that does not run on a caller's thread, and lets a caller's thread
 * wait. After {@link #close()}, timers and requests are dropped, callbacks never.
 */
public interface Scheduler extends AutoCloseable {
  /** The pause before work is tried again after no thread could be started for it. */
  long NO_THREAD_PAUSE_NANOS = 50_000_000;

  /** The kinds of callbacks. Application code of one kind never delays another kind. */
  enum Lane {
    /** Completions of {@code acquireAsync}: application code. */
    COMPLETION,
    /** Passes completions to an executor of the application. */
    HAND_ON,
    /** Callbacks of {@code onLost}: application code. */
    LOSS,
    /** Listeners and the log: application code. Each of them runs one task at a time. */
    EVENT,
    /** Listeners of leaderships: application code that may run for as long as it leads. */
    LEADER,
    /** Continuations of the engine, which never block. */
    ENGINE
  }

  /** Runs a short task that does not block, after a delay. */
  Timer schedule(Runnable task, long delayNanos);

  /**
   * The kinds of requests to a store whose verbs block. Requests of one kind never delay another
   * kind.
   */
  enum Work {
    /** An attempt or a release, for which a caller waits. */
    CALLER,
    /** A watch, which asks the store for wake-ups. */
    WATCH,
    /** A poll of all waiting tickets. */
    POLL,
    /** The withdrawal of a ticket. */
    WITHDRAWAL
  }

  /** Runs a request of the engine to a store whose verbs block. */
  void request(Runnable task);

  /**
   * As {@link #request(Runnable)}; if no thread can be started for it, again and again until one
   * can. For work that nothing else would begin anew.
   */
  default void background(Runnable task) {
    try {
      request(task);
    } catch (OutOfMemoryError e) {
      Timer unused = schedule(() -> background(task), NO_THREAD_PAUSE_NANOS);
    }
  }

  /**
   * As {@link #request(Runnable)}; requests of another kind do not delay it.
   *
   * @throws RuntimeException if the scheduler was closed
   */
  default void request(Work work, Runnable task) {
    request(task);
  }

  /** Runs a renewal on a store whose verbs block. Other requests never delay it. */
  void renewal(Runnable task);

  /** Runs application code on a thread of the client. */
  void callback(Runnable task);

  /** As {@link #callback(Runnable)}, in this lane; also after {@link #close()}. */
  default void callback(Lane lane, Runnable task) {
    callback(task);
  }

  /** Makes the calling thread wait until it is woken or interrupted, at most for {@code nanos}. */
  default void park(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  /** Wakes a thread that waits in {@link #park}; does nothing for null. */
  default void unpark(@Nullable Thread thread) {
    LockSupport.unpark(thread);
  }

  /**
   * Makes the calling thread wait for a future without limit; an interrupt does not end the wait.
   */
  default <T extends @Nullable Object> T join(CompletableFuture<T> future) {
    return future.join();
  }

  /** Ends the threads; running tasks are interrupted. */
  @Override
  void close();

  /** As {@link #close()}; waits at most this long for running tasks. */
  default void close(Duration most) {
    close();
  }

  /** A task that waits for its time. */
  interface Timer {
    /** Cancels the task if it has not started. */
    void cancel();
  }
}
