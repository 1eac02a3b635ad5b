package io.leasehold.cli;

import io.leasehold.Lease;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the library reports of the one lock of a run, and of each of its leases. */
final class RunEvents implements LockListener {
  private final Console console;
  private final AtomicBoolean waited = new AtomicBoolean();

  /** What the run holds that this one is part of; empty if there is none. */
  private final String outerName;

  private volatile Optional<LockEvent.Jeopardy> jeopardy = Optional.empty();
  private volatile Optional<LockEvent.Lost> lost = Optional.empty();
  private volatile Runnable nudge = () -> {};

  RunEvents(Console console, Map<String, String> environment) {
    this.console = console;
    this.outerName = environment.getOrDefault(ChildEnvironment.NAME, "");
  }

  /** Runs this, on the library's thread, whenever the lease turns out to be in danger. */
  void nudge(Runnable action) {
    nudge = action;
  }

  /** Whether the store has answered that another process holds the lock. */
  boolean waited() {
    return waited.get();
  }

  /** Whether this lease is in jeopardy, or was. */
  Optional<LockEvent.Jeopardy> jeopardy(Lease lease) {
    return jeopardy.filter(event -> event.leaseId().equals(lease.leaseId()));
  }

  Optional<LockEvent.Lost> lost(Lease lease) {
    return lost.filter(event -> event.leaseId().equals(lease.leaseId()));
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
      console.remark("waiting for '" + waiting.name() + "'" + heldBy(waiting));
    }
  }

  private String heldBy(LockEvent.Waiting waiting) {
    String holder = waiting.holder();
    if (holder.isEmpty()) {
      return "";
    }
    boolean isOuter = outerName.equals(waiting.name()) && isAncestor(holder);
    return ", held by "
        + holder
        + (isOuter ? ": the run that this one is part of, and that ends only after it" : "");
  }

  /** Whether a holder, written host/pid/thread, is a process that this one comes from. */
  private static boolean isAncestor(String holder) {
    Optional<ProcessHandle> process = ProcessHandle.current().parent();
    while (process.isPresent()) {
      if (holder.contains("/" + process.get().pid() + "/")) {
        return true;
      }
      process = process.get().parent();
    }
    return false;
  }
}
