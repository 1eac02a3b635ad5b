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
   * Whether the calling thread has locked this lock, has not unlocked it, and its lease certainly
   * stands; see {@link Lease#isHeld()}. False once the lease is lost: {@link #unlock()} would then
   * throw {@link LeaseLostException}. Uses no network.
   */
  boolean isHeldByCurrentThread();

  /**
   * How often the calling thread has locked this lock and not unlocked it, even if the lease was
   * lost meanwhile. Uses no network.
   */
  int getHoldCount();

  /**
   * The lease of the calling thread, for its fencing token. Unlock this lock; do not release the
   * lease.
   *
   * @throws IllegalMonitorStateException if the calling thread does not hold this lock
   */
  Lease lease();
}
