package io.leasehold.spring;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock as the lock registries of Spring Integration have it: what those of both lines share. It
 * is {@link DistributedLock#asLock()}, and two of one key are the same lock. Its lease is renewed
 * while it is held. Thread-safe.
 */
public class RegistryLock implements Lock {
  private final DistributedLock lock;
  private final DistributedLockView view;

  /**
   * The lock of a key, which is the lock name.
   *
   * @throws IllegalArgumentException if the key is no string, or no lock name
   */
  protected RegistryLock(LockClient locks, Object key) {
    if (!(key instanceof String name)) {
      throw new IllegalArgumentException(
          "the key of a lock must be a string, which is the same in every process, but is of "
              + key.getClass());
    }
    this.lock = locks.lock(name);
    this.view = lock.asLock();
  }

  @Override
  public void lock() {
    view.lock();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    view.lockInterruptibly();
  }

  @Override
  public boolean tryLock() {
    return view.tryLock();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return view.tryLock(time, unit);
  }

  /** As {@link #lock()}, on a lease of this ttl; re-entry keeps the lease and its ttl. */
  public void lock(Duration ttl) {
    withTtl(ttl).lock();
  }

  /** As {@link #tryLock(long, TimeUnit)}, on a lease of this ttl; re-entry keeps the lease. */
  public boolean tryLock(Duration maxWait, Duration ttl) throws InterruptedException {
    return withTtl(ttl).tryLock(Durations.nanos(maxWait), TimeUnit.NANOSECONDS);
  }

  private DistributedLockView withTtl(Duration ttl) {
    return lock.with(LockOptions.defaults().withTtl(ttl)).asLock();
  }

  @Override
  public void unlock() {
    view.unlock();
  }

  /** Refuses: a condition cannot be signalled across processes. */
  @Override
  public Condition newCondition() {
    return view.newCondition();
  }

  /**
   * Requires that the calling thread holds this lock. The client renews it without this.
   *
   * @throws IllegalStateException if it does not, or its lease is lost
   */
  public void renew() {
    if (!held().isHeld()) {
      throw new IllegalStateException("lock '" + lock.name() + "': its lease is lost");
    }
  }

  /**
   * As {@link #renew()}; moreover renews the lease now if it would end sooner than after {@code
   * ttl} and a renewal yields that much. Waits for one request at most.
   *
   * @throws IllegalStateException as {@link #renew()}
   * @throws io.leasehold.StoreException if the outcome of the renewal is unknown; the lease still
   *     stands
   */
  public void renew(Duration ttl) {
    Lease lease = held();
    try {
      lease.ensureHeld(ttl);
    } catch (IllegalMonitorStateException lost) {
      throw new IllegalStateException(lost.getMessage(), lost);
    } catch (IllegalArgumentException moreThanARenewalYields) {
      renew();
    }
  }

  private Lease held() {
    try {
      return view.lease();
    } catch (IllegalMonitorStateException notHeld) {
      throw new IllegalStateException(notHeld.getMessage(), notHeld);
    }
  }

  @Override
  public String toString() {
    return view.toString();
  }
}
