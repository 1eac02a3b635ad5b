package io.leasehold.spi;

import io.leasehold.LockMode;
import java.time.Duration;

/** The answer to {@link LockStore#attempt}. */
public sealed interface Attempt {
  /**
   * The ticket holds the lease.
   *
   * @param number the fence number of the grant: 1 to 2<sup>53</sup>−1, above that of every earlier
   *     grant of the name; 0 if the store has no fencing
   * @param remaining how long the lease lives from the moment the store answered; for a repeated
   *     attempt the rest of its life, not the ttl
   * @param wanted whether another ticket waits for the name
   */
  record Granted(long number, Duration remaining, boolean wanted) implements Attempt {
    /** The same grant, which says that another ticket waits for the name. */
    public Granted asWanted() {
      return new Granted(number, remaining, true);
    }
  }

  /**
   * Another ticket holds the lock; this one has a place in the store's queue.
   *
   * @param place the number of tickets before it, at least 0
   * @param holder the holder in readable form; empty if not known
   */
  record Queued(int place, String holder) implements Attempt {}

  /**
   * Another ticket holds the lock; this one has no place in a queue.
   *
   * @param retryAfter the shortest time after which the lock may come free by expiry, as far as the
   *     store knows: the remaining life of what is held; zero if not known
   * @param holder the holder in readable form; empty if not known
   */
  record Busy(Duration retryAfter, String holder) implements Attempt {}

  /**
   * The name is held or waited for as a lock of another kind, or as a semaphore of another size.
   * The attempt left nothing behind.
   *
   * @param mode how the name is shared now
   * @param limit how many permits there are; 1 unless the mode is {@link LockMode#PERMITS}
   */
  record OtherKind(LockMode mode, int limit) implements Attempt {}
}
