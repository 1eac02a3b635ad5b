package io.leasehold;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link DistributedReadWriteLock} for code written against {@code java.util.concurrent}; from
 * {@link DistributedReadWriteLock#asReadWriteLock()}. Thread-safe.
 */
public interface DistributedReadWriteLockView extends ReadWriteLock {
  @Override
  DistributedLockView readLock();

  @Override
  DistributedLockView writeLock();
}
