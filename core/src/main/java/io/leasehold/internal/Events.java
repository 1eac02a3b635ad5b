package io.leasehold.internal;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Tells the listeners, each in order, never on the thread on which it happened. */
final class Events {
  private static final int MOST_IN_ARREARS = 10_000;

  private final Scheduler scheduler;
  private final CopyOnWriteArrayList<Told> listeners = new CopyOnWriteArrayList<>();

  Events(Scheduler scheduler, Collection<LockListener> initial) {
    this.scheduler = scheduler;
    initial.forEach(this::add);
  }

  /** One that is slow delays no other. */
  private record Told(LockListener listener, Lineup<LockEvent> events) {}

  void add(LockListener listener) {
    Lineup<LockEvent> events =
        new Lineup<>(
            scheduler,
            Lane.EVENT,
            MOST_IN_ARREARS,
            Events::matters,
            event -> isolated(() -> listener.on(event), () -> "a lock listener threw at " + event),
            dropped ->
                Log.warn("a lock listener is too slow: " + dropped + " events were dropped"));
    listeners.add(new Told(listener, events));
  }

  /** What a holder must not miss: a flood of the others never pushes it out. */
  private static boolean matters(LockEvent event) {
    return event instanceof LockEvent.Lost
        || event instanceof LockEvent.Jeopardy
        || event instanceof LockEvent.UnknownOutcome
        || event instanceof LockEvent.StoreWarning;
  }

  /** Removes it once, if it was added. */
  void remove(LockListener listener) {
    for (Told told : listeners) {
      if (told.listener.equals(listener)) {
        told.events.stop();
        listeners.remove(told);
        return;
      }
    }
  }

  /** Whether there is a listener. */
  boolean areHeard() {
    return !listeners.isEmpty();
  }

  /** May be called under any mutex. The event is made only if there is a listener. */
  void emit(Supplier<LockEvent> made) {
    if (listeners.isEmpty()) {
      return;
    }
    LockEvent event = made.get();
    for (Told told : listeners) {
      told.events.add(event);
    }
  }

  /** Runs code of the user; what it throws is logged. */
  static void isolated(Runnable code, Supplier<String> what) {
    try {
      code.run();
    } catch (RuntimeException | Error e) {
      Log.error(what.get(), e);
      if (e instanceof VirtualMachineError fatal) {
        throw fatal;
      }
    }
  }

  /**
   * What is logged of leases, on a thread of its own: a logger that is slow delays no lock. What
   * comes in masses is summed up.
   */
  static final class Warnings {
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
}
