package io.leasehold.peers;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedReadWriteLockView;
import io.leasehold.LockOptions;

/** Both locks on one name. */
record PeerReadWriteLock(String name, DistributedLock readLock, DistributedLock writeLock)
    implements DistributedReadWriteLock {

  @Override
  public DistributedReadWriteLock with(LockOptions options) {
    return new PeerReadWriteLock(name, readLock.with(options), writeLock.with(options));
  }

  @Override
  public DistributedReadWriteLockView asReadWriteLock() {
    throw new UnsupportedOperationException("not asked of it");
  }
}
