package io.leasehold;

/**
 * The lease is over although its holder did not release it: it expired, an operator broke it, its
 * session ended, its longest life is reached, or its client was closed. Another may hold the lock,
 * and may have held it while this holder still worked. Only the fencing token, checked where the
 * data lives, protects the data.
 *
 * <p>The only exception of Leasehold that is an {@link IllegalMonitorStateException}, and the only
 * one that is no {@link LockException}.
 */
public final class LeaseLostException extends IllegalMonitorStateException {
  private static final long serialVersionUID = 1L;

  /** Made by the engine. */
  public LeaseLostException(String message) {
    super(message);
  }
}
