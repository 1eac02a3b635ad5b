package io.leasehold;

/**
 * Work done while a lock is held.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockedRun<E extends Exception> {
  /**
   * Does the work.
   *
   * @param lease the lease held meanwhile; pass its fencing token on
   */
  void run(Lease lease) throws E;
}
