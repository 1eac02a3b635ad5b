package io.leasehold.internal;

import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What is logged of leases, on a thread of its own: a logger that is slow delays no lock. What
 * comes in masses is summed up.
 */
final class Warnings {
  private static final int MOST_A_SECOND = 100;
  private static final long SECOND_NANOS = 1_000_000_000;

  private final Clock clock;
  private final Scheduler scheduler;
  private final Lineup<Supplier<String>> lines;
  private final ReentrantLock mutex = new ReentrantLock();
  private long began;
  private int thisSecond;
  private long leftOut;

  Warnings(Clock clock, Scheduler scheduler) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.began = clock.nanos();
    this.lines =
        new Lineup<>(
            scheduler,
            Lane.EVENT,
            Integer.MAX_VALUE,
            line -> false,
            line -> Log.warn(line.get()),
            dropped -> {});
  }

  /** May be called under any mutex. The line is made only if it is logged. */
  void add(Supplier<String> line) {
    mutex.lock();
    try {
      long now = clock.nanos();
      if (now - began >= SECOND_NANOS) {
        began = now;
        thisSecond = 0;
      }
      if (thisSecond < MOST_A_SECOND) {
        thisSecond++;
        lines.add(line);
      } else if (leftOut++ == 0) {
        scheduler.schedule(this::sumUp, began + SECOND_NANOS - now);
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Says how many lines were left out since it last did. */
  void sumUp() {
    mutex.lock();
    try {
      long left = leftOut;
      leftOut = 0;
      if (left > 0) {
        lines.add(
            () ->
                left
                    + " more warnings like the last "
                    + MOST_A_SECOND
                    + " came within a second and are left out; listeners are told of each");
      }
    } finally {
      mutex.unlock();
    }
  }
}
