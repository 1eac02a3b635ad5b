package io.leasehold.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** What a proxy does to all that goes in one direction. */
final class ProxyFaults {
  private final ReentrantLock mutex = new ReentrantLock();
  private final Condition changed = mutex.newCondition();
  private Duration delay = Duration.ZERO;
  private boolean stalls;
  private volatile boolean drops;
  private volatile boolean slices;

  void delay(Duration newDelay) {
    change(() -> delay = newDelay);
  }

  void stall() {
    change(() -> stalls = true);
  }

  void drop() {
    drops = true;
  }

  void slice() {
    slices = true;
  }

  void heal() {
    drops = false;
    slices = false;
    change(
        () -> {
          delay = Duration.ZERO;
          stalls = false;
        });
  }

  /** To be called when what {@link #hold} is told has changed. */
  void signal() {
    change(() -> {});
  }

  private void change(Runnable change) {
    mutex.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      mutex.unlock();
    }
  }

  boolean drops() {
    return drops;
  }

  void write(byte[] bytes, int from, int to, OutputStream out) throws IOException {
    if (!slices) {
      out.write(bytes, from, to - from);
      return;
    }
    for (int i = from; i < to; i++) {
      out.write(bytes[i]);
    }
  }

  /** Returns when what came may go on. */
  void hold(BooleanSupplier closed) throws InterruptedException {
    mutex.lock();
    try {
      long left = delay.toNanos();
      while (!closed.getAsBoolean() && (stalls || (left > 0 && !delay.isZero()))) {
        if (left > 0) {
          left = changed.awaitNanos(left);
        } else {
          changed.await();
        }
      }
    } finally {
      mutex.unlock();
    }
  }
}
