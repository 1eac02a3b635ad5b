package io.leasehold;

/**
 * The lock name is in use as a lock of another kind: a semaphore and not a lock, or a semaphore of
 * another size. That binds while anybody holds or waits; nothing was changed.
 */
public final class LockKindException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Says which kind it is and which was asked for. */
  public LockKindException(String message) {
    super(message);
  }
}
