package io.leasehold;

/**
 * Work that runs while several locks are held, and returns no result.
 *
 * @param <E> the exception that the work may throw
 */
@FunctionalInterface
public interface MultiLockedRun<E extends Exception> {
  /**
   * Runs the work.
   *
   * @param leases the leases that are held meanwhile; send their fencing tokens with each write
   */
  void run(MultiLease leases) throws E;
}
