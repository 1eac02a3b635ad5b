package io.leasehold.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one event after another. What an event leaves to be done, requests and completions, is done
 * once the mutex is released: no request and no code of the user runs under it.
 */
final class Mutex {
  private final ReentrantLock lock = new ReentrantLock();
  private final Runnable afterEach;

  /**
   * A mutex.
   *
   * @param afterEach runs under it at the end of each event
   */
  Mutex(Runnable afterEach) {
    this.afterEach = afterEach;
  }

  <T extends @Nullable Object> T compute(Function<Steps, T> event) {
    Steps steps = new Steps();
    T result;
    lock.lock();
    try {
      result = event.apply(steps);
      afterEach.run();
    } finally {
      lock.unlock();
    }
    steps.run();
    return result;
  }

  void run(Consumer<Steps> event) {
    this.<@Nullable Void>compute(
        steps -> {
          event.accept(steps);
          return null;
        });
  }
}
