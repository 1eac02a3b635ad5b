package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be asked, was kept busy by others, refused to answer, or its answer never
 * came. {@link #failure()} says which. Never means that the lock is busy, or that it was released.
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
     * The request took no effect and never will: others kept the store busy for all the time that
     * it had. Says nothing of the lock. Whoever waits for a lock outlasts it to the deadline, also
     * before the store has answered anything.
     */
    BUSY,
    /**
     * The request may have taken effect, or may yet. The engine withdraws it in the background
     * until its fate is known.
     */
    UNKNOWN_OUTCOME,
    /**
     * The store understood and refused: password, privilege, read-only, a schema it does not know.
     * Asking again is no use.
     */
    REFUSED
  }

  private final Failure failure;

  /**
   * For stores and the engine.
   *
   * @param message what, where and what to do; no secrets
   * @param cause what the store's client threw, if anything
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
