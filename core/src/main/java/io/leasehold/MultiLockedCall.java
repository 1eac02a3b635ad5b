package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs while several locks are held, and returns a result.
 *
 * @param <T> the type of the result
 * @param <E> the exception that the work may throw
 */
@FunctionalInterface
public interface MultiLockedCall<T extends @Nullable Object, E extends Exception> {
  /**
   * Runs the work.
   *
   * @param leases the leases that are held meanwhile; send their fencing tokens with each write
   */
  T call(MultiLease leases) throws E;
}
