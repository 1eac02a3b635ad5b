package io.leasehold.idempotency;

/**
 * Work that runs once for each key.
 *
 * @param <T> the type of the result
 * @param <E> the exception that the work may throw
 */
@FunctionalInterface
public interface Action<T, E extends Exception> {
  /**
   * Runs the work.
   *
   * @param claim the claim of this call; send its token with each write
   */
  T run(Claim claim) throws E;
}
