package io.leasehold.testkit;

import io.leasehold.testkit.contract.Faults;
import java.util.ArrayList;
import java.util.List;

/** A request on its way: what it will do is done when it lands. Thread-safe. */
final class DelayedRequest implements Faults.Delayed {
  private final List<Runnable> effects = new ArrayList<>();
  private boolean sent;
  private boolean landed;

  @Override
  public synchronized boolean isSent() {
    return sent;
  }

  /** Does this once it lands: now, if it has. */
  void send(Runnable effect) {
    synchronized (this) {
      sent = true;
      if (!landed) {
        effects.add(effect);
        return;
      }
    }
    effect.run();
  }

  @Override
  public void land() {
    List<Runnable> due;
    synchronized (this) {
      landed = true;
      due = List.copyOf(effects);
      effects.clear();
    }
    due.forEach(Runnable::run);
  }
}
