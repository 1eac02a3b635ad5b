package io.leasehold.spi;

import io.leasehold.LockMode;
import java.time.Duration;

/** The answer to {@link LockStore#attempt}. */
public sealed interface Attempt {
  /**
   * The lease is this ticket's.
   *
   * @param number the fence number of the grant: 1 to 2<sup>53</sup>−1, above that of every earlier
   *     grant of the name; 0 if the store has no fencing
   * @param remaining how long the lease lives from the moment the store answered; for a repeated
   *     attempt what is left, not the ttl
   * @param wanted whether another ticket waits for the name
   */
  record Granted(long number, Duration remaining, boolean wanted) implements Attempt {
    /** The same, with the word that another waits. */
    public Granted asWanted() {
      return new Granted(number, remaining, true);
    }
  }

  /**
   * Held by another; the ticket keeps its place in the store's queue.
   *
   * @param place how many are before it, at least 0
   * @param holder who holds it, readable; empty if not known
   */
  record Queued(int place, String holder) implements Attempt {}

  /**
   * Held by another.
   *
   * @param retryAfter when it may come free by itself at the earliest, as far as the store knows:
   *     the remaining life of what is held; zero if not known
   * @param holder who holds it, readable; empty if not known
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
