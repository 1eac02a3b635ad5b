package io.leasehold.peers;

import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock of another library as {@code java.util.concurrent} knows it. */
record PeerLockView(Lock of) implements DistributedLockView {
  @Override
  public void lock() {
    of.lock();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    of.lockInterruptibly();
  }

  @Override
  public boolean tryLock() {
    return of.tryLock();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return of.tryLock(time, unit);
  }

  @Override
  public void unlock() {
    of.unlock();
  }

  @Override
  public Condition newCondition() {
    return of.newCondition();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public int getHoldCount() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public Lease lease() {
    throw new UnsupportedOperationException("not asked of it");
  }
}
