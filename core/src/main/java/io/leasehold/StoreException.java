package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * A request to the store failed: the store was unreachable, other clients kept it busy, it refused
 * the request, or its answer never arrived. {@link #failure()} says which. This exception never
 * means that the lock is busy, or that it was released.
 */
public final class StoreException extends LockException {
  private static final long serialVersionUID = 1L;

  /** What is known about the request that failed. */
  public enum Failure {
    /**
     * The request took no effect and never will: the store cannot be reached, or is not in a state
     * to serve.
     */
    UNAVAILABLE,
    /**
     * The request took no effect and never will: other clients kept the store busy for all the time
     * that the request had. This says nothing about the lock. A call that waits for a lock tries
     * again until its deadline, even before the store has answered for the first time.
     */
    BUSY,
    /**
     * The request may have taken effect, or may do so later. The engine withdraws it in the
     * background until its outcome is known.
     */
    UNKNOWN_OUTCOME,
    /**
     * The store understood the request and refused it: a wrong password, a missing privilege, a
     * read-only server, an unknown schema. Another try does not help.
     */
    REFUSED
  }

  private final Failure failure;

  /**
   * For stores and the engine; applications catch this exception and do not create it.
   *
   * @param message what failed, where, and what to do; without secrets
   * @param cause the exception of the store's driver, if there is one
   */
  public StoreException(Failure failure, String message, @Nullable Throwable cause) {
    super(message);
    this.failure = failure;
    if (cause != null) {
      initCause(cause);
    }
  }

  /** What is known about the request that failed. */
  public Failure failure() {
    return failure;
  }
}
