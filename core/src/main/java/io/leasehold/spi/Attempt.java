package io.leasehold.spi;

import io.leasehold.LockMode;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

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
   * @param run the tickets of the same client that stand directly behind this one in the store's
   *     queue, in its order; empty if there are none, or the store does not tell. Of an exclusive
   *     fair ticket the client serves them along this lease, without a request, and names them when
   *     it releases it: {@link LockStore#release(Ticket, Collection, Duration)}
   */
  record Granted(long number, Duration remaining, boolean wanted, List<LeaseId> run)
      implements Attempt {
    /** Copies the list. */
    public Granted {
      run = List.copyOf(run);
    }

    /** A grant without a run. */
    public Granted(long number, Duration remaining, boolean wanted) {
      this(number, remaining, wanted, List.of());
    }

    /** The same grant, which says that another ticket waits for the name. */
    public Granted asWanted() {
      return new Granted(number, remaining, true, run);
    }
  }

  /**
   * Another ticket holds the lock; this one has a place in the store's queue.
   *
   * @param place the number of tickets before it, at least 0
   * @param holder the holder in readable form; empty if not known
   * @param watched whether the store reports to this ticket every change since this attempt, so
   *     that the engine need not call {@link LockStore#watch}
   */
  record Queued(int place, String holder, boolean watched) implements Attempt {
    /** Of a ticket that is not watched, or not known to be. */
    public Queued(int place, String holder) {
      this(place, holder, false);
    }

    /** The same answer, which says that the ticket is watched. */
    public Queued asWatched() {
      return new Queued(place, holder, true);
    }
  }

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
