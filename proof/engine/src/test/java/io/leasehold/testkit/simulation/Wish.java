package io.leasehold.testkit.simulation;

import io.leasehold.DistributedLock;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Ticket;
import java.time.Duration;

/**
 * What a caller wants of a lock, and how.
 *
 * @param mode how to share it
 * @param permits how many permits; 1 for a lock
 * @param limit of how many; 1 for a lock
 * @param maxWait how long to wait, in nanoseconds; 0 to try once
 * @param ttl in nanoseconds
 * @param fair whether order across processes is wanted
 * @param renewed whether the lease is to be renewed
 * @param maxHold its longest life in nanoseconds; 0 for none
 */
record Wish(
    LockMode mode,
    int permits,
    int limit,
    long maxWait,
    long ttl,
    boolean fair,
    boolean renewed,
    long maxHold) {
  /** So long is for ever. */
  static final long FOR_EVER = 36_000 * Plan.SECOND;

  boolean isTry() {
    return maxWait == 0;
  }

  /** Whether the lease may end while others are waited for. */
  boolean mayNeverLast() {
    return !renewed || maxHold > 0;
  }

  boolean isShared() {
    return mode == LockMode.SHARED;
  }

  boolean isAlone() {
    return mode == LockMode.EXCLUSIVE;
  }

  boolean isPermits() {
    return mode == LockMode.PERMITS;
  }

  /** What must be the same for all who use a name at a time: the size of a semaphore, 0: a lock. */
  int kind() {
    return kind(mode, limit);
  }

  static int kind(LockMode mode, int limit) {
    return mode == LockMode.PERMITS ? limit : 0;
  }

  /** Whether a ticket asks for just this. */
  boolean isAskedBy(Ticket ticket) {
    return ticket.mode() == mode
        && ticket.permits() == permits
        && ticket.limit() == limit
        && ticket.fair() == fair;
  }

  LockOptions options() {
    LockOptions options = LockOptions.defaults().withTtl(Duration.ofNanos(ttl));
    options = fair ? options.fair() : options;
    options = renewed ? options : options.withoutRenewal();
    return maxHold > 0 ? options.withMaxHold(Duration.ofNanos(maxHold)) : options;
  }

  DistributedLock lock(Engine engine, String name) {
    return switch (mode) {
      case EXCLUSIVE ->
          maxHold > 0
              ? engine.readWriteLock(name).writeLock().with(options())
              : engine.lock(name).with(options());
      case SHARED -> engine.readWriteLock(name).readLock().with(options());
      case PERMITS -> engine.semaphore(name, limit).permits(permits).with(options());
    };
  }

  Duration patience() {
    return maxWait >= FOR_EVER ? Duration.ofDays(10_000) : Duration.ofNanos(maxWait);
  }

  @Override
  public String toString() {
    return switch (mode) {
          case EXCLUSIVE -> "";
          case SHARED -> "shared ";
          case PERMITS -> permits + "/" + limit + " ";
        }
        + "wait="
        + Judge.ms(maxWait)
        + " ttl="
        + Judge.ms(ttl)
        + (fair ? " fair" : "")
        + (renewed ? "" : " unrenewed")
        + (maxHold > 0 ? " maxHold=" + Judge.ms(maxHold) : "");
  }
}
