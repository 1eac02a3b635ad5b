package io.leasehold.internal;

import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is passed on one after another, in order, on a thread of its lane. Beyond a number in
 * arrears what comes is dropped, and counted; what matters most, beyond ten times as many.
 */
final class Lineup<T> {
  private static final int FOR_WHAT_MATTERS = 10;

  private final Scheduler scheduler;
  private final Lane lane;
  private final int most;
  private final Predicate<T> matters;
  private final Consumer<T> to;
  private final LongConsumer toldOfDropped;
  private final ReentrantLock mutex = new ReentrantLock();
  private ArrayDeque<T> waiting = new ArrayDeque<>();
  private boolean passing;

  /** Changed under the mutex only. */
  private volatile boolean stopped;

  private volatile boolean hasDropped;
  private long dropped;

  /**
   * What it passes on next: taken out of the line all at once, so that it locks the mutex once for
   * many. Used by the thread that passes on.
   */
  private ArrayDeque<T> taken = new ArrayDeque<>();

  /** How many these are; written by that thread only. */
  private volatile int left;

  Lineup(
      Scheduler scheduler,
      Lane lane,
      int most,
      Predicate<T> matters,
      Consumer<T> to,
      LongConsumer toldOfDropped) {
    this.scheduler = scheduler;
    this.lane = lane;
    this.most = most;
    this.matters = matters;
    this.to = to;
    this.toldOfDropped = toldOfDropped;
  }

  /** May be called under any mutex: waits for nothing, and throws nothing. */
  void add(T next) {
    mutex.lock();
    try {
      int mostNow = matters.test(next) ? FOR_WHAT_MATTERS * most : most;
      if (stopped || waiting.size() + left >= mostNow) {
        dropped++;
        hasDropped = true;
        return;
      }
      waiting.add(next);
      if (passing) {
        return;
      }
      passing = true;
    } finally {
      mutex.unlock();
    }
    try {
      scheduler.callback(lane, this::pass);
    } catch (RuntimeException | Error e) {
      // What happened must not fail because it cannot be passed on now: the next one tries again
      notPassing();
      Log.error("what happened could not be told", e);
    }
  }

  private void notPassing() {
    mutex.lock();
    try {
      passing = false;
    } finally {
      mutex.unlock();
    }
  }

  /** Passes on nothing more. */
  void stop() {
    mutex.lock();
    try {
      stopped = true;
      waiting.clear();
    } finally {
      mutex.unlock();
    }
  }

  private void pass() {
    boolean passedAll = false;
    try {
      for (T next = next(); next != null; next = next()) {
        // Without the mutex: both are code of the user, or may block
        long missed = takeDropped();
        if (missed > 0) {
          toldOfDropped.accept(missed);
        }
        to.accept(next);
      }
      passedAll = true;
    } finally {
      if (!passedAll) {
        scheduler.callback(lane, this::pass);
      }
    }
  }

  private @Nullable T next() {
    if (taken.isEmpty() || stopped) {
      takeAll();
    }
    T next = taken.poll();
    left = taken.size();
    return next;
  }

  /** Passes on no more if there is nothing. */
  private void takeAll() {
    taken.clear();
    mutex.lock();
    try {
      ArrayDeque<T> all = waiting;
      waiting = taken;
      taken = all;
      passing = !all.isEmpty();
    } finally {
      mutex.unlock();
    }
  }

  private long takeDropped() {
    if (!hasDropped) {
      return 0;
    }
    mutex.lock();
    try {
      long number = stopped ? 0 : dropped;
      dropped = 0;
      hasDropped = false;
      return number;
    } finally {
      mutex.unlock();
    }
  }
}
