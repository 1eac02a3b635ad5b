package io.leasehold;

import java.util.concurrent.locks.Lock;

/**
 * A {@link DistributedLock} for code written against {@code java.util.concurrent}; from {@link
 * DistributedLock#asLock()}. Thread-safe. All views of one lock of one client share their holds.
 *
 * <pre>{@code
 * DistributedLockView lock = locks.lock("report").asLock();
 * if (lock.tryLock()) {
 *   try {
 *     report.write(lock.lease().fencingToken());
 *   } finally {
 *     if (lock.isHeldByCurrentThread()) {
 *       lock.unlock();
 *     }
 *   }
 * }
 * }</pre>
 */
public interface DistributedLockView extends Lock {
  /**
   * Whether the calling thread locked it, has not unlocked it, and its lease certainly stands; see
   * {@link Lease#isHeld()}. False once the lease is lost: then {@link #unlock()} would throw {@link
   * LeaseLostException}. No network.
   */
  boolean isHeldByCurrentThread();

  /**
   * How often the calling thread locked it and has not unlocked it yet, also if the lease was lost
   * meanwhile. No network.
   */
  int getHoldCount();

  /**
   * The lease that the calling thread holds by this lock, for its fencing token. Unlock the lock
   * rather than release the lease.
   *
   * @throws IllegalMonitorStateException if the calling thread does not hold this lock
   */
  Lease lease();
}
