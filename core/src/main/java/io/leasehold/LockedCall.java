package io.leasehold;

/**
 * Work that runs while a lock is held, and returns a result.
 *
 * @param <T> the type of the result
 * @param <E> the exception that the work may throw
 */
@FunctionalInterface
public interface LockedCall<
    T extends @org.jspecify.annotations.Nullable Object, E extends Exception> {
  /**
   * Runs the work.
   *
   * @param lease the lease that is held meanwhile; send its fencing token with each write
   */
  T call(Lease lease) throws E;
}
