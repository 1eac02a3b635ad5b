package io.leasehold.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Where the engine's work runs when it is not the caller's thread, and how a caller's thread waits.
 * After {@link #close()} timers and requests are dropped; callbacks never are.
 */
public interface Scheduler extends AutoCloseable {
  /** After how long work is tried again for which no thread could be started. */
  long NO_THREAD_PAUSE_NANOS = 50_000_000;

  /** What waits for what: code of the user delays nothing but its own kind. */
  enum Lane {
    /** Completions of {@code acquireAsync}: code of the user. */
    COMPLETION,
    /** Hands completions to an executor of the user. */
    HAND_ON,
    /** Callbacks of {@code onLost}: code of the user. */
    LOSS,
    /** Listeners and the log: code of the user. One task at a time for each of them. */
    EVENT,
    /** The engine's own continuations, and nothing that blocks. */
    ENGINE
  }

  /** Runs a short task that does not block, after a delay. */
  Timer schedule(Runnable task, long delayNanos);

  /** What a request to a store whose verbs block is about. Those of one kind delay no other's. */
  enum Work {
    /** An attempt or a release: somebody waits for it. */
    CALLER,
    /** To be woken. */
    WATCH,
    /** About all tickets that wait. */
    POLL,
    /** A ticket that is given up. */
    WITHDRAWAL
  }

  /** Runs a request of the engine's own to a store whose verbs block. */
  void request(Runnable task);

  /**
   * As {@link #request(Runnable)}, beside requests about anything else.
   *
   * @throws RuntimeException if it was closed
   */
  default void request(Work work, Runnable task) {
    request(task);
  }

  /** Runs a renewal on a store whose verbs block; never waits behind other requests. */
  void renewal(Runnable task);

  /** Runs code of the user. */
  void callback(Runnable task);

  /** As {@link #callback(Runnable)}, in its lane; also after {@link #close()}. */
  default void callback(Lane lane, Runnable task) {
    callback(task);
  }

  /** Lets the calling thread wait until it is woken or interrupted, or for so long. */
  default void park(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  /** Wakes a thread that {@link #park} lets wait. */
  default void unpark(@Nullable Thread thread) {
    LockSupport.unpark(thread);
  }

  /** Lets the calling thread wait for a future, however long; an interrupt does not end it. */
  default <T extends @Nullable Object> T join(CompletableFuture<T> future) {
    return future.join();
  }

  /** Ends the threads; what runs is interrupted. */
  @Override
  void close();

  /** As {@link #close()}, waiting at most so long for what runs. */
  default void close(Duration most) {
    close();
  }

  /** A scheduled task. */
  interface Timer {
    /** Makes the task not run, if it has not begun. */
    void cancel();
  }
}
