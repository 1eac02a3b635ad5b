package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Work done while several locks are held, that yields a value.
 *
 * @param <T> what it yields
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface MultiLockedCall<T extends @Nullable Object, E extends Exception> {
  /**
   * Does the work.
   *
   * @param leases those held meanwhile; pass their fencing tokens on
   */
  T call(MultiLease leases) throws E;
}
