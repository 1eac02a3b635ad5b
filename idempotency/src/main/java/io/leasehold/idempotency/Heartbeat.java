package io.leasehold.idempotency;

import io.leasehold.StoreException;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim whose work runs: extends it at each third of its life, until it is ended or lost.
 * Thread-safe.
 */
final class Heartbeat implements Claim, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Heartbeat.class.getName());

  private final IdempotencyStore store;
  private final Scheduler scheduler;
  private final Clock clock;
  private final ClaimId id;
  private final Duration life;
  private final Duration keep;

  /** Counted from before the request that the store answered. */
  private volatile long validUntil;

  private volatile boolean lost;
  private volatile boolean ended;
  private volatile Scheduler.@Nullable Timer timer;

  /**
   * Begins it.
   *
   * @param asked when the claim was asked for, by the clock
   */
  Heartbeat(
      IdempotencyStore store,
      Scheduler scheduler,
      Clock clock,
      ClaimId id,
      Duration life,
      Duration keep,
      long asked) {
    this.store = store;
    this.scheduler = scheduler;
    this.clock = clock;
    this.id = id;
    this.life = life;
    this.keep = keep;
    this.validUntil = asked + life.toNanos();
    schedule();
  }

  private void schedule() {
    timer = scheduler.schedule(() -> scheduler.renewal(this::beat), life.toNanos() / 3);
    if (ended) {
      cancel();
    }
  }

  private void cancel() {
    Scheduler.Timer next = timer;
    if (next != null) {
      next.cancel();
    }
  }

  private void beat() {
    if (ended) {
      return;
    }
    long asked = clock.nanos();
    try {
      if (store.extend(id, life, keep, life.dividedBy(3))) {
        validUntil = asked + life.toNanos();
      } else if (!ended) {
        lost = true;
        LOG.log(
            Level.WARNING,
            "a claim lapsed while its work runs: this process was paused for longer than "
                + life.toMillis()
                + " ms, or cut off from the store; what the work yields may be refused");
        return;
      }
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "a claim was not extended; asked again", e);
    }
    schedule();
  }

  @Override
  public long token() {
    return id.token();
  }

  @Override
  public boolean isHeld() {
    return !lost && !ended && left() > 0;
  }

  /** Nanoseconds of the claim that are left, as far as this process knows. */
  long left() {
    return validUntil - clock.nanos();
  }

  /** No further extension is sent; one that is under way finds the claim finished. */
  @Override
  public void close() {
    ended = true;
    cancel();
  }
}
