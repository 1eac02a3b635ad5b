package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on the wire: when it was sent, for how long, and its answer's way back to its
 * contender.
 */
final class AttemptCall implements StoreCalls.Answer<Attempt> {
  private final Engine engine;
  private final Contender contender;

  /** Whether it was given less time than an attempt has, for the sake of the thread it runs on. */
  private final boolean shortened;

  private final long within;
  private long sent;
  private long sentWall;

  AttemptCall(Engine engine, Contender contender, long within, boolean shortened) {
    this.engine = engine;
    this.contender = contender;
    this.within = within;
    this.shortened = shortened;
  }

  void send() {
    sent = engine.clock.nanos();
    sentWall = engine.clock.wallMillis();
    engine.calls.call(
        () -> engine.store.attempt(contender.ticket, Duration.ofNanos(within)), within, this);
  }

  boolean isShortened() {
    return shortened;
  }

  /** How long a lease stands that was granted by this attempt: from its sending. */
  Validity validity(Attempt.Granted granted) {
    return Validity.of(sent, sentWall, granted.remaining());
  }

  @Override
  public void now(@Nullable Attempt answer, @Nullable StoreException failed) {
    contender
        .queue()
        .locked(
            steps -> {
              contender.ended(failed, steps);
              contender.heard(this, answer, failed, steps);
            });
  }

  @Override
  public void timedOut(StoreException failed) {
    contender.queue().locked(steps -> contender.heard(this, null, failed, steps));
  }

  @Override
  public void late(@Nullable Attempt answer, @Nullable StoreException failed) {
    contender
        .queue()
        .locked(
            steps -> {
              if (answer != null) {
                contender.heardLate();
              }
              contender.ended(failed, steps);
            });
  }
}
