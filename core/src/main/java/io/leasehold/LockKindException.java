package io.leasehold;

/**
 * The lock name is in use as a lock of another kind: a semaphore and not a lock, or a semaphore of
 * another size. The kind of a name is fixed while the name has a holder or a waiter. The call
 * changed nothing.
 */
public final class LockKindException extends LockException {
  private static final long serialVersionUID = 1L;

  /** For the engine and its stores; the message names the lock and its present kind. */
  public LockKindException(String message) {
    super(message);
  }
}
