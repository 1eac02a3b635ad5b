package io.leasehold.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one event after another. What an event leaves to be done, requests and completions, is done
 * once the mutex is released: no request and no code of the user runs under it.
 */
class Mutex {
  private static final int SPINS = 50;

  private final ReentrantLock lock = new ReentrantLock();
  private final Steps steps = new Steps();

  final <T extends @Nullable Object> T compute(Function<Steps, T> event) {
    T result;
    Runnable then;
    enter();
    try {
      result = event.apply(steps);
      afterEach();
    } finally {
      then = steps.take();
      lock.unlock();
    }
    then.run();
    return result;
  }

  final void locked(Consumer<Steps> event) {
    Runnable then;
    enter();
    try {
      event.accept(steps);
      afterEach();
    } finally {
      then = steps.take();
      lock.unlock();
    }
    then.run();
  }

  /** An event is shorter than it takes to park and be woken: looks a few times first. */
  private void enter() {
    for (int i = 0; i < SPINS; i++) {
      if (lock.tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    lock.lock();
  }

  /** Runs under the mutex at the end of each event. */
  void afterEach() {}
}
