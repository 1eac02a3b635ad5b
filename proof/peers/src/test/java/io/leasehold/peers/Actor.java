package io.leasehold.peers;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A thread for one lease. The locks of most libraries belong to the thread that took them; the
 * contract passes leases on. So each lease has a thread that takes it and releases it, and the
 * caller waits for that thread.
 */
final class Actor implements AutoCloseable {
  private final LinkedBlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean ended;

  Actor(String name) {
    thread = new Thread(this::work, "actor-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void work() {
    boolean interrupted = false;
    while (!ended || !tasks.isEmpty()) {
      try {
        FutureTask<?> task = tasks.take();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        task.run();
        interrupted = false;
        Thread.interrupted();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /** Does it there. An interrupt of the caller is one of the thread that does it. */
  <T> T call(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    if (!thread.isAlive()) {
      throw new IllegalStateException("it has ended");
    }
    tasks.add(task);
    boolean interrupted = false;
    while (true) {
      try {
        T result = task.get();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return result;
      } catch (InterruptedException e) {
        interrupted = true;
        if (!task.isDone()) {
          thread.interrupt();
        }
      } catch (ExecutionException e) {
        if (interrupted && !(e.getCause() instanceof InterruptedException)) {
          Thread.currentThread().interrupt();
        }
        if (e.getCause() instanceof Exception thrown) {
          throw thrown;
        }
        throw new AssertionError(e.getCause());
      }
    }
  }

  /** Ends the thread after what it was told so far. */
  @Override
  public void close() {
    tasks.add(new FutureTask<>(() -> ended = true));
  }
}
