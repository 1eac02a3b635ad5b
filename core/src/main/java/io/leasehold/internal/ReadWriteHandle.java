package io.leasehold.internal;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedLockView;
import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedReadWriteLockView;
import io.leasehold.LockOptions;
import io.leasehold.internal.Terms.Share;

/** The two locks of one name. */
final class ReadWriteHandle implements DistributedReadWriteLock {
  private final LockHandle read;
  private final LockHandle write;

  ReadWriteHandle(NameQueue queue, LockOptions options) {
    this.read = new LockHandle(queue, Share.SHARED, options);
    this.write = new LockHandle(queue, Share.EXCLUSIVE, options);
  }

  @Override
  public String name() {
    return write.name;
  }

  @Override
  public DistributedReadWriteLock with(LockOptions options) {
    return new ReadWriteHandle(write.queue, options);
  }

  @Override
  public DistributedLock readLock() {
    return read;
  }

  @Override
  public DistributedLock writeLock() {
    return write;
  }

  @Override
  public DistributedReadWriteLockView asReadWriteLock() {
    return new View(read.asLock(), write.asLock());
  }

  private record View(DistributedLockView readLock, DistributedLockView writeLock)
      implements DistributedReadWriteLockView {}

  @Override
  public String toString() {
    return "DistributedReadWriteLock[" + write.name + "]";
  }
}
