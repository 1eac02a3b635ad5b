package io.leasehold;

/**
 * Work done while a lock is held, that yields a value.
 *
 * @param <T> what it yields
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockedCall<
    T extends @org.jspecify.annotations.Nullable Object, E extends Exception> {
  /**
   * Does the work.
   *
   * @param lease the lease held meanwhile; pass its fencing token on
   */
  T call(Lease lease) throws E;
}
