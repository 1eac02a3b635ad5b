package io.leasehold.cli;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the library reports of the one lock of a run. */
final class RunEvents implements LockListener {
  private final Console console;
  private final AtomicBoolean waited = new AtomicBoolean();
  private volatile Optional<LockEvent.Jeopardy> jeopardy = Optional.empty();
  private volatile Optional<LockEvent.Lost> lost = Optional.empty();
  private volatile Runnable nudge = () -> {};

  RunEvents(Console console) {
    this.console = console;
  }

  /** Runs this, on the library's thread, whenever the lease turns out to be in danger. */
  void nudge(Runnable action) {
    nudge = action;
  }

  /** Whether the store has answered and the lock was somebody else's. */
  boolean waited() {
    return waited.get();
  }

  Optional<LockEvent.Jeopardy> jeopardy() {
    return jeopardy;
  }

  Optional<LockEvent.Lost> lost() {
    return lost;
  }

  @Override
  public void on(LockEvent event) {
    if (event instanceof LockEvent.Jeopardy danger) {
      jeopardy = Optional.of(danger);
      nudge.run();
    } else if (event instanceof LockEvent.Lost end) {
      lost = Optional.of(end);
      nudge.run();
    } else if (event instanceof LockEvent.Waiting waiting && waited.compareAndSet(false, true)) {
      console.say(
          "waiting for '"
              + waiting.name()
              + "'"
              + (waiting.holder().isEmpty() ? "" : ", held by " + waiting.holder()));
    }
  }
}
