package io.leasehold;

/**
 * Work that runs while a lock is held, and returns no result.
 *
 * @param <E> the exception that the work may throw
 */
@FunctionalInterface
public interface LockedRun<E extends Exception> {
  /**
   * Runs the work.
   *
   * @param lease the lease that is held meanwhile; send its fencing token with each write
   */
  void run(Lease lease) throws E;
}
