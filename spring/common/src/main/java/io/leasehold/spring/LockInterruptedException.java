package io.leasehold.spring;

/**
 * The thread was interrupted while it waited for the lock of a {@link Locked} method that does not
 * declare {@link InterruptedException}. The method did not run, nothing is left behind, and the
 * interrupt flag of the thread is set.
 */
public final class LockInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockInterruptedException(String message, InterruptedException cause) {
    super(message, cause);
  }
}
