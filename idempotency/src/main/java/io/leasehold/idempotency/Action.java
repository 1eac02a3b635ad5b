package io.leasehold.idempotency;

/**
 * Work that is to be done once.
 *
 * @param <T> what it yields
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface Action<T, E extends Exception> {
  /**
   * Does the work.
   *
   * @param claim the claim under which it is done; pass its token on
   */
  T run(Claim claim) throws E;
}
