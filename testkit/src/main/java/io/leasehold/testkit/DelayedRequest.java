package io.leasehold.testkit;

import io.leasehold.testkit.contract.Faults;
import java.util.ArrayList;
import java.util.List;

/** A request on its way: what it will do is done when it lands. Thread-safe. */
final class DelayedRequest implements Faults.Delayed {
  /** What is kept. */
  enum Kind {
    /** The request, and with it its answer. */
    REQUEST,
    /** The request alone: its sender is told at once that the connection broke. */
    UNANSWERED,
    /** The news that the connection broke. */
    LOSS
  }

  final Kind kind;
  private final List<Runnable> effects = new ArrayList<>();
  private boolean sent;
  private boolean landed;

  DelayedRequest(Kind kind) {
    this.kind = kind;
  }

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
