package io.leasehold;

import io.leasehold.event.LockListener;
import java.util.List;
import java.util.Set;

/**
 * A client of one store, and the source of its locks. Thread-safe; create one per process and
 * store, and close it at the end. The client uses a few daemon threads, whatever the number of
 * locks and waiters, and up to 64 more for each kind of callback while as many of them run:
 * completions of {@code acquireAsync}, {@code onLost}, listeners; and one more for each {@link
 * LeadershipListener} that runs. No kind waits for another. The threads inherit no context class
 * loader and no inheritable thread-locals.
 *
 * <p>A waiter that gave up (by timeout, interrupt or cancel) may block others for one more round
 * trip, in which the client withdraws it. Some stores may grant it the lock in that time, and
 * {@link #list()} then shows it as the holder; its caller never gets that lease.
 */
public interface LockClient extends AutoCloseable {
  /**
   * The lock with this name. Uses no resources until it is acquired; two objects with one name are
   * the same lock.
   *
   * @param name 1 to 255 code points of any kind, except NUL and unpaired surrogates. Names are
   *     compared code point by code point
   * @throws IllegalArgumentException if the name is empty, too long, or has NUL or an unpaired
   *     surrogate
   */
  DistributedLock lock(String name);

  /**
   * The read lock and the write lock with this name. Uses no resources until one is acquired.
   *
   * @param name as for {@link #lock}
   * @throws IllegalArgumentException if the name is not valid
   */
  DistributedReadWriteLock readWriteLock(String name);

  /**
   * The semaphore with this name. Uses no resources until it is acquired.
   *
   * @param name as for {@link #lock}
   * @param size the total number of permits, at least 1; the same for all clients that use the name
   *     at a time
   * @throws IllegalArgumentException if the name is not valid, or the size is less than 1
   */
  DistributedSemaphore semaphore(String name, int size);

  /**
   * Several locks that are acquired as one. Uses no resources until it is acquired.
   *
   * @param names at least one name, each as for {@link #lock}; duplicates count once
   * @throws IllegalArgumentException if there is no name, or one is not valid
   */
  MultiLock allOf(String... names);

  /**
   * Takes part in the election of a leader by the exclusive lock with this name, with default
   * options; see {@link #leadership(String, LockOptions, LeadershipListener)}.
   */
  default Leadership leadership(String name, LeadershipListener listener) {
    return leadership(name, LockOptions.defaults(), listener);
  }

  /**
   * Takes part in the election of a leader: whichever candidate holds the exclusive lock with this
   * name leads. Never blocks: the candidate waits, leads, and takes part again after a loss without
   * a thread of the caller. It also takes part if the store cannot be reached now. Each call adds a
   * candidate, also for the same name.
   *
   * @param name as for {@link #lock}
   * @param options those of the lock. {@code ttl} is how long a dead leader keeps others out,
   *     {@code fair()} elects in the order of candidacy, {@code maxHold} limits a term
   * @param listener called when this candidate is elected, and when it leads no more
   * @return the candidacy, which lasts until {@link Leadership#resign()} or {@link #close()}
   * @throws IllegalArgumentException if the name is not valid, or the store refuses the options
   */
  Leadership leadership(String name, LockOptions options, LeadershipListener listener);

  /**
   * All locks of this store that have a holder or a waiter now, ordered by name.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  List<LockSnapshot> list();

  /**
   * Checks the store for conditions that could break its promises: its clock, its settings, how
   * fast it answers. Sends several requests; for operators, not for regular work. A part of the
   * store that does not answer, such as a node of a cluster, is a finding.
   *
   * @return at least one finding
   * @throws StoreException if no part of the store can be asked
   */
  List<Finding> diagnose();

  /** What this client holds and waits for at this moment. Uses no network. */
  ClientSnapshot snapshot();

  /** What the store promises beyond mutual exclusion. Never changes; uses no network. */
  Set<Trait> traits();

  /**
   * Adds a listener, which receives every event from now on; see also {@link
   * LockClientBuilder#listener}.
   */
  void addListener(LockListener listener);

  /** Removes a listener, which receives no further events. Does nothing if it was not added. */
  void removeListener(LockListener listener);

  /** Whether {@link #close()} was called; true also while it still runs. */
  boolean isClosed();

  /**
   * Closes this client: waiters fail with {@link ClientClosedException}, held leases are lost to
   * their holders and released, and every thread and connection ends. For the holders this is a
   * loss as any other: their callbacks run, and their {@code release} and the end of their {@code
   * withLock} throw {@link LeaseLostException}. {@link LockClientBuilder#closeWaitsForHolders()}
   * lets them finish first.
   *
   * <p>Takes at most the client's close timeout. Application code that still runs on a thread of
   * the client then is interrupted, and the thread ends with it. Does not throw for an unknown
   * outcome, but reports it as an event. Idempotent.
   */
  @Override
  void close();
}
