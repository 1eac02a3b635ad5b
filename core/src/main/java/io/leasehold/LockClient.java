package io.leasehold;

import io.leasehold.event.LockListener;
import java.util.List;
import java.util.Set;

/**
 * A connection to one store, from which locks are taken. Thread-safe; make one per process and
 * store, and close it at the end. Holds a few daemon threads, whatever the number of locks and
 * waiters, and up to 64 for each kind of callback while as many of them run: completions of {@code
 * acquireAsync}, {@code onLost}, listeners. One kind never waits for another. Threads inherit
 * nothing of the thread that first needs them.
 *
 * <p>A waiter that gave up (by timeout, interrupt or cancel) may still be in the way of others for
 * one round trip to the store, in which it is withdrawn; on some stores the lock is granted to it
 * in that time, and shows so in {@link #list()}. Its caller never gets that lease.
 */
public interface LockClient extends AutoCloseable {
  /**
   * The lock with this name. Costs nothing until it is used; two locks of one name are the same
   * lock.
   *
   * @param name 1 to 255 code points; any, but NUL and unpaired surrogates. Compared code point by
   *     code point
   * @throws IllegalArgumentException if the name is empty, too long, or has NUL or an unpaired
   *     surrogate
   */
  DistributedLock lock(String name);

  /**
   * The read lock and the write lock with this name. Costs nothing until it is used.
   *
   * @param name as for {@link #lock}
   * @throws IllegalArgumentException if the name is not one
   */
  DistributedReadWriteLock readWriteLock(String name);

  /**
   * The semaphore with this name. Costs nothing until it is used.
   *
   * @param name as for {@link #lock}
   * @param size how many permits there are, at least 1; the same for everybody who uses the name at
   *     a time
   * @throws IllegalArgumentException if the name is not one, or the size less than 1
   */
  DistributedSemaphore semaphore(String name, int size);

  /**
   * Several locks taken as one. Costs nothing until it is used.
   *
   * @param names at least one; as for {@link #lock}. One that comes twice is taken once
   * @throws IllegalArgumentException if there is no name, or one is not a name
   */
  MultiLock allOf(String... names);

  /**
   * What is held and waited for in this store, now, ordered by name.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  List<LockSnapshot> list();

  /**
   * Looks for what could break the store's promises: its clock, its settings, how fast it answers.
   * Several requests; for operators, not for the way of the work.
   *
   * @return at least one finding
   * @throws StoreException if the store cannot be asked
   */
  List<Finding> diagnose();

  /** What the store promises beyond mutual exclusion; never changes. No network. */
  Set<Trait> traits();

  /**
   * Tells {@code listener} of every event from now on; see also {@link LockClientBuilder#listener}.
   */
  void addListener(LockListener listener);

  /** Tells {@code listener} nothing more. Does nothing if it was not added. */
  void removeListener(LockListener listener);

  /** Whether {@link #close()} was called. */
  boolean isClosed();

  /**
   * Ends this client: waiters fail with {@link ClientClosedException}, held leases are lost to
   * their holders and released, every thread and connection ends. Holders are told as of any loss:
   * their callbacks run, their {@code release} and the end of their {@code withLock} throw {@link
   * LeaseLostException}. {@link LockClientBuilder#closeWaitsForHolders()} lets them finish first.
   *
   * <p>Takes at most the client's close timeout. Code of the user that still runs then is
   * interrupted, and its thread ends with it. Never throws for an unknown outcome; that is an
   * event. Idempotent.
   */
  @Override
  void close();
}
