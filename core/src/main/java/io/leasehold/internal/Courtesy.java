package io.leasehold.internal;

import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.support.Durations;
import java.util.function.Consumer;

/**
 * After a lease was let go that another process waited for, this one does not contend for a moment,
 * so that the other gets it: it would win every race otherwise. Not where the store grants it to
 * the other by itself. Guarded by its queue's mutex.
 */
final class Courtesy {
  /** How long the others need where the store wakes them. */
  private static final long WOKEN_NANOS = 20_000_000;

  /** The same where they find out by polling, at most. */
  private static final long POLLED_NANOS = 1_000_000_000;

  private final NameQueue queue;
  private final long pause;
  private Deadline until = Deadline.NONE;

  Courtesy(NameQueue queue) {
    Poll poll = queue.engine.traits.poll();
    long most = poll.signals() == Signals.SENT ? WOKEN_NANOS : POLLED_NANOS;
    this.queue = queue;
    this.pause = Math.min(Durations.nanos(poll.longest()), most);
  }

  boolean comeFirst() {
    return until.exists();
  }

  void letFirst(Consumer<Steps> afterwards) {
    Engine engine = queue.engine;
    until = new Deadline(engine.clock.nanos() + pause, true);
    Runnable end =
        () ->
            queue.locked(
                steps -> {
                  if (until.hasPassed(engine.clock.nanos())) {
                    until = Deadline.NONE;
                    afterwards.accept(steps);
                  }
                });
    engine.scheduler.schedule(end, pause);
  }

  void close() {
    until = Deadline.NONE;
  }
}
