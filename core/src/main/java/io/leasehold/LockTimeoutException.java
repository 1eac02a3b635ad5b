package io.leasehold;

/**
 * The lock was not acquired within {@code maxWait}, because another holder has it. The attempt
 * leaves nothing in the store.
 */
public final class LockTimeoutException extends LockException {
  private static final long serialVersionUID = 1L;

  /** For the engine and its stores; the message names the lock and, where known, its holder. */
  public LockTimeoutException(String message) {
    super(message);
  }
}
