package io.leasehold.internal;

import io.leasehold.spi.support.Scheduler;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One timer for many things that are each due at some time: it runs when the first of them is due,
 * looks at all, and is asked for the next. It is not taken back, so that what is done with before
 * costs nothing more. Thread-safe.
 */
public final class EarliestTimer {
  private static final long NEVER = Long.MIN_VALUE;

  private final Scheduler scheduler;
  private final Runnable look;
  private final ReentrantLock mutex = new ReentrantLock();
  private Scheduler.@Nullable Timer timer;

  /** When it runs; {@link #NEVER} if it does not. Read without the mutex. */
  private volatile long at = NEVER;

  /**
   * Does not run yet.
   *
   * @param look finds what is due by then; what becomes due later it asks for by {@link #runIn}
   */
  public EarliestTimer(Scheduler scheduler, Runnable look) {
    this.scheduler = scheduler;
    this.look = look;
  }

  /** Runs no later than after this delay: asked for once the thing stands that will be due then. */
  public void runIn(long delay, long now) {
    long due = now + Math.max(0, delay);
    if (runsBefore(due)) {
      // The look begins after the timer has stopped, and so finds this thing
      return;
    }
    mutex.lock();
    try {
      if (!runsBefore(due)) {
        // First, as it may fail: then the one before stays
        Scheduler.Timer sooner = scheduler.schedule(this::run, due - now);
        if (timer != null) {
          timer.cancel();
        }
        timer = sooner;
        at = due;
      }
    } finally {
      mutex.unlock();
    }
  }

  private boolean runsBefore(long due) {
    long running = at;
    return running != NEVER && due - running >= 0;
  }

  private void run() {
    mutex.lock();
    try {
      timer = null;
      at = NEVER;
    } finally {
      mutex.unlock();
    }
    look.run();
  }
}
