package io.leasehold;

/**
 * The lease ended although its holder did not release it: it expired, an operator broke it, its
 * session ended, it reached its longest life, or its client was closed. Another client may hold the
 * lock now, and may have held it while this holder still worked. Only the fencing token, checked
 * where the data lives, protects the data.
 *
 * <p>This is the only exception of Leasehold that extends {@link IllegalMonitorStateException} and
 * not {@link LockException}.
 */
public final class LeaseLostException extends IllegalMonitorStateException {
  private static final long serialVersionUID = 1L;

  /** For the engine and its stores; the message names the lock, the lease and the reason. */
  public LeaseLostException(String message) {
    super(message);
  }
}
