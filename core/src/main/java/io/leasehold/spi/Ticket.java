package io.leasehold.spi;

import io.leasehold.LockMode;
import java.time.Duration;

/**
 * The data of one acquisition, validated by the engine. Every verb of one acquisition carries the
 * same ticket, except that the ttl of a {@link LockStore#renew} may be longer than that of the
 * attempt.
 *
 * @param name the lock name, 1 to 255 code points without NUL or unpaired surrogates
 * @param id the id of this acquisition; single-use
 * @param mode how the lease shares the name
 * @param permits how many permits it takes; 1 unless the mode is {@link LockMode#PERMITS}
 * @param limit the total number of permits; 1 unless the mode is {@link LockMode#PERMITS}
 * @param ttl how long the store keeps the lease without renewal; within the store's limits and a
 *     multiple of its step
 * @param intent what a busy attempt leaves behind
 * @param fair whether the ticket is served in order across processes; only with {@link
 *     io.leasehold.Trait#FIFO} and {@link Intent#QUEUE}
 * @param holder the caller in readable form, for {@code list} and messages
 * @param leastNumber what its fence number must not be below, with {@link
 *     Traits.Numbers#ASKED_FOR}; 0 if the store makes it
 */
public record Ticket(
    String name,
    LeaseId id,
    LockMode mode,
    int permits,
    int limit,
    Duration ttl,
    Intent intent,
    boolean fair,
    String holder,
    long leastNumber) {

  /** An acquisition whose fence number the store makes. */
  public Ticket(
      String name,
      LeaseId id,
      LockMode mode,
      int permits,
      int limit,
      Duration ttl,
      Intent intent,
      boolean fair,
      String holder) {
    this(name, id, mode, permits, limit, ttl, intent, fair, holder, 0);
  }

  /** The same acquisition with another ttl. */
  public Ticket withTtl(Duration newTtl) {
    return new Ticket(name, id, mode, permits, limit, newTtl, intent, fair, holder, leastNumber);
  }

  /** The same acquisition with another {@code leastNumber}. */
  public Ticket withLeastNumber(long newLeast) {
    return new Ticket(name, id, mode, permits, limit, ttl, intent, fair, holder, newLeast);
  }

  /** What a busy attempt leaves behind. */
  public enum Intent {
    /** Nothing after the answer; others may see the ticket until then. */
    TRY,
    /**
     * A mark that a ticket waits and, if the store keeps a queue, a place in it. Both lapse with
     * the ticket's ttl.
     */
    QUEUE
  }
}
