package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Ticket;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lease as the store granted it: one fence number, renewed as one, held by one {@link Hold} after
 * another as it is handed over. Guarded by its queue's mutex where nothing else is said.
 */
final class Grant {
  /** What becomes of it. */
  enum Phase {
    /** Held, and renewed. */
    HELD,
    /**
     * Let go by its holder; the store is asked whether somebody else waits, before it is handed
     * over.
     */
    REFRESHING,
    /** Let go; the store is told. */
    RELEASING,
    /** Over. */
    ENDED
  }

  /** How old the store's word that nobody else waits may be at a hand-over. */
  static final long FRESH_NANOS = 50_000_000;

  final NameQueue queue;

  /** What it was granted to: knows of attempts that may still land once the lease is over. */
  final Contender from;

  final Ticket ticket;

  /** Those of its first holder; whoever gets it by hand-over wants the same. */
  final Terms terms;

  final long number;
  private final Clock clock;

  /** Read without the mutex: it decides when the keeper renews next. Written by the keeper. */
  volatile long renewAt;

  /** Read without the mutex. */
  private volatile Validity validity;

  /** Read without the mutex. */
  volatile Phase phase = Phase.HELD;

  private volatile @Nullable Hold hold;

  private int handOvers;
  private boolean wanted;
  private long wantedSince;

  /** While it is let go: what the releasing caller waits for. */
  @Nullable CompletableFuture<Void> letGo;

  Grant(NameQueue queue, Contender from, Terms terms, Granted granted, Validity validity) {
    this.queue = queue;
    this.from = from;
    this.ticket = from.ticket;
    this.terms = terms;
    this.number = granted.number();
    this.validity = validity;
    this.clock = queue.engine.clock;
    hear(granted.wanted());
  }

  /** The holder of the moment; the first one is set before the grant is shared. */
  Hold hold() {
    return requireNonNull(hold);
  }

  Validity validity() {
    return validity;
  }

  void holdBy(Hold newHold) {
    hold = newHold;
  }

  int nextHandOver() {
    return ++handOvers;
  }

  /** Only while it is safe, and nobody else has waited for longer than the hand-over time. */
  boolean mayBeHandedOver(long now, long handOverNanos) {
    return handOvers < FenceNumber.MAX_HAND_OVERS
        && isValid(now)
        && now - jeopardyAt() < 0
        && !(wanted && now - wantedSince > handOverNanos);
  }

  /** Whether the lease certainly stands. Reads clocks only. */
  boolean isValid(long now) {
    Validity v = validity;
    return !v.isOver(now) && !v.isInDoubt(clock, now);
  }

  /** From here on renewal is failing. */
  long jeopardyAt() {
    return validity.sent() + terms.ttlNanos() / 3 * 2;
  }

  /**
   * Takes the answer to a renewal; of two the one that was sent later counts, however late the
   * other comes.
   */
  void renewed(Validity newer, boolean isWanted) {
    if (newer.sent() - validity.sent() >= 0) {
      validity = newer;
      hear(isWanted);
    }
  }

  private void hear(boolean isWanted) {
    if (isWanted && !wanted) {
      wantedSince = clock.nanos();
    }
    wanted = isWanted;
  }

  boolean isWanted() {
    return wanted;
  }

  boolean hasFreshWord(long now) {
    return now - validity.sent() <= FRESH_NANOS;
  }
}
