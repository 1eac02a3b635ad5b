package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.spi.LeaseId;
import java.util.concurrent.CompletableFuture;

/** One call of a caller, as the judge sees it. */
final class Call {
  /** How it ended. */
  enum End {
    PENDING,
    GRANTED,
    FAILED,
    CANCELLED,
    CRASHED
  }

  final int number;
  final SimulatedProcess process;
  final String name;
  final long maxWait;
  final long ttl;
  final boolean fair;
  final boolean renewed;
  final long maxHold;
  final long invokedAt;
  final long invokedOwn;

  /** The highest token that had been granted when it was made: its own must be higher. */
  final long floor;

  CompletableFuture<Lease> future;
  End end = End.PENDING;
  boolean waited;

  /** The ticket of a fair caller: the first one sent for it. */
  LeaseId ticket;

  /**
   * The token of a later call that was granted while this one waited, and when; 0 if there is none.
   */
  long overtakenBy;

  long overtakenAt;

  Call(
      int number,
      SimulatedProcess process,
      String name,
      long maxWait,
      long ttl,
      boolean fair,
      boolean renewed,
      long maxHold,
      long invokedAt,
      long floor) {
    this.number = number;
    this.process = process;
    this.name = name;
    this.maxWait = maxWait;
    this.ttl = ttl;
    this.fair = fair;
    this.renewed = renewed;
    this.maxHold = maxHold;
    this.invokedAt = invokedAt;
    this.invokedOwn = process.nanos();
    this.floor = floor;
  }

  boolean isTry() {
    return maxWait == 0;
  }

  boolean isPending() {
    return end == End.PENDING;
  }

  @Override
  public String toString() {
    return "c" + number;
  }
}
