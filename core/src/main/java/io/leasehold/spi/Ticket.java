package io.leasehold.spi;

import io.leasehold.LockMode;
import java.time.Duration;

/**
 * Everything a store needs to know of one acquisition. The engine validates it; every verb of one
 * acquisition carries the same, but that a {@link LockStore#renew} may have a longer ttl than the
 * attempt.
 *
 * @param name the lock name, 1 to 255 code points without NUL or unpaired surrogates
 * @param id names this acquisition; single-use
 * @param mode how it shares the name
 * @param permits how many permits it wants; 1 unless the mode is {@link LockMode#PERMITS}
 * @param limit how many permits there are; 1 unless the mode is {@link LockMode#PERMITS}
 * @param ttl how long the store keeps the lease without renewal; within the store's limits and a
 *     multiple of its step
 * @param intent what a busy attempt leaves behind
 * @param fair whether order across processes was asked for; only with {@link
 *     io.leasehold.Trait#FIFO} and {@link Intent#QUEUE}
 * @param holder who asks, readable, for {@code list} and messages
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
    String holder) {

  /** The same acquisition with another ttl. */
  public Ticket withTtl(Duration newTtl) {
    return new Ticket(name, id, mode, permits, limit, newTtl, intent, fair, holder);
  }

  /** What a busy attempt leaves behind. */
  public enum Intent {
    /** Nothing, once it is answered; others may see it until then. */
    TRY,
    /**
     * A mark that somebody waits and, where the store keeps a queue, a place in it. It lapses with
     * the ticket's ttl.
     */
    QUEUE
  }
}
