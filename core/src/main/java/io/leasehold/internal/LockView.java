package io.leasehold.internal;

import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A lock as {@code java.util.concurrent} knows it. */
final class LockView implements DistributedLockView {
  private final LockHandle lock;
  private final ScopedHolds holds;

  LockView(LockHandle lock) {
    this.lock = lock;
    this.holds = lock.engine.scopedHolds;
  }

  @Override
  public void lock() {
    if (!reenter()) {
      holds.enter(lock.name(), lock.mode(), lock.acquireUninterruptibly());
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (!reenter()) {
      holds.enter(lock.name(), lock.mode(), lock.acquire());
    }
  }

  @Override
  public boolean tryLock() {
    return !isRefused() && (reenter() || entered(lock.tryAcquire()));
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return !isRefused()
        && (reenter() || entered(lock.tryAcquire(Duration.ofNanos(unit.toNanos(time)))));
  }

  @Override
  public void unlock() {
    holds.exit(lock.name(), lock.mode());
  }

  @Override
  public boolean isHeldByCurrentThread() {
    Lease lease = holds.inside(lock.name(), lock.mode());
    return lease != null && lease.isHeld();
  }

  @Override
  public int getHoldCount() {
    return holds.count(lock.name(), lock.mode());
  }

  @Override
  public Lease lease() {
    Lease lease = holds.inside(lock.name(), lock.mode());
    if (lease == null) {
      throw ScopedHolds.notInside(lock.name());
    }
    return lease;
  }

  /** Refuses: a condition cannot be signalled across processes. */
  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  private boolean reenter() {
    return holds.reenter(lock.name(), lock.mode(), lock.options) != null;
  }

  /** A try does not throw where it can say no. */
  private boolean isRefused() {
    return holds.refuses(lock.name(), lock.mode(), lock.options);
  }

  private boolean entered(Optional<Lease> lease) {
    lease.ifPresent(granted -> holds.enter(lock.name(), lock.mode(), granted));
    return lease.isPresent();
  }

  @Override
  public String toString() {
    return lock + ".asLock()";
  }
}
