package io.leasehold.internal;

/**
 * Where the engine's work runs when it is not the caller's thread. After {@link #close()} tasks are
 * dropped.
 */
public interface Scheduler extends AutoCloseable {
  /** Runs a short task that does not block, after a delay. */
  Timer schedule(Runnable task, long delayNanos);

  /** Runs a request of the engine's own to a store whose verbs block. */
  void request(Runnable task);

  /** Runs a renewal on a store whose verbs block; never waits behind other requests. */
  void renewal(Runnable task);

  /** Runs code of the user. */
  void callback(Runnable task);

  /** Ends the threads; what runs is interrupted. */
  @Override
  void close();

  /** A scheduled task. */
  interface Timer {
    /** Makes the task not run, if it has not begun. */
    void cancel();
  }
}
