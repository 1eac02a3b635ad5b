package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
      engine.dispatch.forCaller(reader, new Question(grant, reader), steps);
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

  /** Who else waits, by the store's word on a renewal. */
  private final class Question implements CallerRequest, StoreCalls.Answer<Renewal> {
    private final Grant grant;
    private final Waiter reader;
    private long sent;
    private long sentWall;

    Question(Grant grant, Waiter reader) {
      this.grant = grant;
      this.reader = reader;
    }

    @Override
    public void run() {
      long most = Math.min(engine.requestNanos, engine.dispatch.timeLeft(reader));
      long within = Math.max(Budget.LEAST_NANOS, most);
      engine.calls.call(() -> send(within), within, this);
    }

    @Override
    public void runElsewhere() {
      long within = engine.requestNanos;
      engine.calls.callElsewhere(Work.CALLER, () -> send(within), within, this);
    }

    private CompletionStage<Renewal> send(long within) {
      sent = engine.clock.nanos();
      sentWall = engine.clock.wallMillis();
      return engine.keeper.renewOne(grant, Duration.ofNanos(within));
    }

    @Override
    public void now(@Nullable Renewal answer, @Nullable StoreException failed) {
      grant.queue.locked(
          steps -> {
            grant.askedForJoining = false;
            if (answer != null) {
              engine.keeper.answered(grant, answer, sent, sentWall, steps);
            }
            grant.queue.contention.askedForJoining(failed, steps);
          });
    }
  }
}
