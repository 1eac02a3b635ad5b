package io.leasehold;

/**
 * Two locks on one name: many may hold the read lock at once, and while anybody does nobody holds
 * the write lock. Immutable and thread-safe.
 *
 * <p>A reader that comes while a writer waits is served after it. Readers of one process share one
 * lease of the store, each with a handle and a fencing token of its own; the token of a reader is
 * above those of all earlier writers and below those of all later ones.
 *
 * <p>{@link DistributedLock#withLock} and {@link DistributedLock#asLock()} of both are re-entrant
 * per thread and know of each other. A thread inside the write lock may enter the read lock, and
 * leave the write lock first: it then keeps the exclusive lease and its token until it leaves the
 * read lock (a downgrade). A thread inside the read lock alone may not enter the write lock: it
 * would wait for itself, so that is refused with {@link IllegalMonitorStateException}, or {@code
 * false} by {@code tryLock}.
 *
 * <p>The write lock is {@link LockClient#lock} of the same name.
 */
public interface DistributedReadWriteLock {
  /** The lock name. */
  String name();

  /** The same lock, taken another way. */
  DistributedReadWriteLock with(LockOptions options);

  /** The lock that many may hold at once. */
  DistributedLock readLock();

  /** The lock that only one may hold, and nobody beside it. */
  DistributedLock writeLock();

  /**
   * Both for code written against {@code java.util.concurrent}; see {@link
   * DistributedLock#asLock()}.
   */
  DistributedReadWriteLockView asReadWriteLock();
}
