package io.leasehold.internal;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;
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
            event -> isolated(() -> listener.on(event), "a lock listener threw at " + event),
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

  /** May be called under any mutex. The event is made only if somebody listens. */
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
