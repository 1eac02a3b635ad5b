package io.leasehold;

import io.leasehold.event.LockListener;
import java.util.List;

/**
 * A connection to one store, from which locks are taken. Thread-safe; make one per process and
 * store, and close it at the end. Holds a few daemon threads, whatever the number of locks and
 * waiters.
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
   * What is held and waited for in this store, now, ordered by name.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  List<LockSnapshot> list();

  /**
   * Tells {@code listener} of every event from now on; see also {@link LockClientBuilder#listener}.
   */
  void addListener(LockListener listener);

  /** Tells {@code listener} nothing more. Does nothing if it was not added. */
  void removeListener(LockListener listener);

  /** Whether {@link #close()} was called. */
  boolean isClosed();

  /**
   * Ends this client: waiters fail with {@link ClientClosedException}, held leases are released,
   * every thread and connection ends. Takes at most the client's close timeout. Never throws for an
   * unknown outcome; that is an event. Idempotent.
   */
  @Override
  void close();
}
