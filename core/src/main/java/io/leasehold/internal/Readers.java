package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.spi.Renewal;
import java.time.Duration;

/** Readers that join the shared lease that their process has. */
final class Readers {
  private final Engine engine;

  Readers(Engine engine) {
    this.engine = engine;
  }

  /**
   * Lets a reader join the shared lease that this process has, if no writer elsewhere waits for too
   * long already. If the store's word on that is too old, asks it again first; then the reader
   * waits for the answer.
   *
   * @return whether it joined
   */
  boolean join(NameQueue queue, Waiter reader, Steps steps) {
    Grant grant = queue.leases.current();
    long now = engine.clock.nanos();
    if (grant == null || !mayJoin(grant, reader, now)) {
      return false;
    }
    if (grant.hasFreshWord(now)) {
      queue.leases.giveOn(grant, reader, steps);
      return true;
    }
    if (!grant.askedForJoining) {
      grant.askedForJoining = true;
      engine.dispatch.forCaller(reader, () -> ask(grant, reader), steps);
    }
    return false;
  }

  private boolean mayJoin(Grant grant, Waiter reader, long now) {
    return grant.ticket.mode() == LockMode.SHARED
        && grant.phase == Phase.HELD
        && grant.terms.handsOverTo(reader.terms)
        && !engine.isClosed()
        && !grant.isWanted()
        && grant.mayBeHandedOver(now);
  }

  /** Without the mutex. */
  private void ask(Grant grant, Waiter reader) {
    NameQueue queue = grant.queue;
    long within =
        Math.max(
            Budget.LEAST_NANOS, Math.min(engine.requestNanos, engine.dispatch.timeLeft(reader)));
    long sent = engine.clock.nanos();
    long sentWall = engine.clock.wallMillis();
    engine.calls.<Renewal>call(
        () -> engine.keeper.renewOne(grant, Duration.ofNanos(within)),
        within,
        (answer, failed) ->
            queue.locked(
                steps -> {
                  grant.askedForJoining = false;
                  if (answer != null) {
                    engine.keeper.answered(grant, answer, sent, sentWall, steps);
                  }
                  queue.contention.askedForJoining(failed, steps);
                }));
  }
}
