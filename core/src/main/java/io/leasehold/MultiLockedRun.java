package io.leasehold;

/**
 * Work done while several locks are held.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface MultiLockedRun<E extends Exception> {
  /**
   * Does the work.
   *
   * @param leases those held meanwhile; pass their fencing tokens on
   */
  void run(MultiLease leases) throws E;
}
