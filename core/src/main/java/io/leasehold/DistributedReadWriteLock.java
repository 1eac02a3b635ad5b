package io.leasehold;

/**
 * Two locks on one name: any number of readers hold the read lock together, or one writer holds the
 * write lock alone. Immutable and thread-safe.
 *
 * <p>A reader that arrives while a writer waits is served after that writer. The readers of one
 * process share one lease of the store, but each has a separate handle and fencing token. The token
 * of a reader is higher than those of all earlier writers, and lower than those of all later ones.
 *
 * <p>{@link DistributedLock#withLock} and {@link DistributedLock#asLock()} of both locks are
 * re-entrant per thread and share their state. A thread that holds the write lock may acquire the
 * read lock and then release the write lock (a downgrade): it keeps the exclusive lease and its
 * token until it releases the read lock. A thread that holds only the read lock cannot acquire the
 * write lock, because it would wait for itself: the call throws {@link
 * IllegalMonitorStateException}, and {@code tryLock} returns {@code false}.
 *
 * <p>The write lock is {@link LockClient#lock} of the same name.
 */
public interface DistributedReadWriteLock {
  /** The lock name. */
  String name();

  /** The same two locks with other options. This object does not change. */
  DistributedReadWriteLock with(LockOptions options);

  /** The lock that any number of readers hold together. */
  DistributedLock readLock();

  /** The lock that one writer holds alone. */
  DistributedLock writeLock();

  /**
   * Both locks for code written against {@code java.util.concurrent}; see {@link
   * DistributedLock#asLock()}.
   */
  DistributedReadWriteLockView asReadWriteLock();
}
