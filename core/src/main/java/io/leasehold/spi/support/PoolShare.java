package io.leasehold.spi.support;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A share of a pool's threads: a fixed number of tasks runs at once, the others wait in line. Tasks
 * that hang in one share take no thread from another share.
 */
final class PoolShare {
  private final Executor threads;
  private final int most;
  private final ReentrantLock mutex = new ReentrantLock();
  private final ArrayDeque<Runnable> line = new ArrayDeque<>();
  private int running;

  PoolShare(Executor threads, int most) {
    this.threads = threads;
    this.most = most;
  }

  /**
   * Runs a task.
   *
   * @throws RuntimeException if the pool is closed
   * @throws Error if it needs a thread that cannot be started; the task does not run then
   */
  void execute(Runnable task) {
    mutex.lock();
    try {
      line.add(task);
      if (running == most) {
        return;
      }
      running++;
    } finally {
      mutex.unlock();
    }
    try {
      threads.execute(this::work);
    } catch (RuntimeException | Error e) {
      if (isLeft(task)) {
        throw e;
      }
    }
  }

  /** No thread could be started: whether none is left that will run the task. */
  private boolean isLeft(Runnable task) {
    mutex.lock();
    try {
      running--;
      return running == 0 && line.remove(task);
    } finally {
      mutex.unlock();
    }
  }

  private void work() {
    for (Runnable task = next(); task != null; task = next()) {
      Log.guarded("a task of the engine failed; please report this", task);
    }
  }

  private @Nullable Runnable next() {
    mutex.lock();
    try {
      Runnable task = line.poll();
      if (task == null) {
        running--;
      }
      return task;
    } finally {
      mutex.unlock();
    }
  }

  /** Drops what waits. */
  void clear() {
    mutex.lock();
    try {
      line.clear();
    } finally {
      mutex.unlock();
    }
  }
}
