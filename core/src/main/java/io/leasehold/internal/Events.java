package io.leasehold.internal;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells the listeners, in order, never on the thread on which it happened. */
final class Events {
  private static final int MOST_IN_ARREARS = 10_000;

  private final Scheduler scheduler;
  private final CopyOnWriteArrayList<LockListener> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock mutex = new ReentrantLock();
  private final ArrayDeque<LockEvent> queue = new ArrayDeque<>();
  private boolean draining;
  private long dropped;

  Events(Scheduler scheduler, Collection<LockListener> initial) {
    this.scheduler = scheduler;
    listeners.addAll(initial);
  }

  void add(LockListener listener) {
    listeners.add(listener);
  }

  void remove(LockListener listener) {
    listeners.remove(listener);
  }

  /** May be called under any mutex. The event is made only if somebody listens. */
  void emit(Supplier<LockEvent> event) {
    if (listeners.isEmpty()) {
      return;
    }
    mutex.lock();
    try {
      if (queue.size() >= MOST_IN_ARREARS) {
        dropped++;
        return;
      }
      queue.add(event.get());
      if (draining) {
        return;
      }
      draining = true;
    } finally {
      mutex.unlock();
    }
    try {
      scheduler.callback(this::drain);
    } catch (RuntimeException | Error e) {
      // What happened must not fail because it cannot be told now: the next event tries again
      notDraining();
      Log.error("lock listeners could not be told", e);
    }
  }

  private void notDraining() {
    mutex.lock();
    try {
      draining = false;
    } finally {
      mutex.unlock();
    }
  }

  private void drain() {
    for (LockEvent event = next(); event != null; event = next()) {
      tell(listeners, event);
    }
  }

  private @Nullable LockEvent next() {
    mutex.lock();
    try {
      if (dropped > 0) {
        Log.warn("a lock listener is too slow: " + dropped + " events were dropped");
        dropped = 0;
      }
      LockEvent event = queue.poll();
      if (event == null) {
        draining = false;
      }
      return event;
    } finally {
      mutex.unlock();
    }
  }

  private static void tell(List<LockListener> listeners, LockEvent event) {
    for (LockListener listener : listeners) {
      isolated(() -> listener.on(event), "a lock listener threw at " + event);
    }
  }

  /** Runs code of the user; what it throws is logged. */
  static void isolated(Runnable code, String what) {
    try {
      code.run();
    } catch (RuntimeException | Error e) {
      Log.error(what, e);
      if (e instanceof VirtualMachineError fatal) {
        throw fatal;
      }
    }
  }
}
