package io.leasehold;

/**
 * The lock was not acquired within the time the caller was ready to wait: somebody else holds it.
 * Nothing is left behind.
 */
public final class LockTimeoutException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Made by the engine. */
  public LockTimeoutException(String message) {
    super(message);
  }
}
