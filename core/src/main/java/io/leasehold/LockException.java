package io.leasehold;

/**
 * The superclass of the exceptions that Leasehold throws when a lock cannot be acquired, or when
 * the outcome is unknown. One {@code catch} covers all of them except {@link LeaseLostException},
 * which extends {@link IllegalMonitorStateException} for code written against {@code
 * java.util.concurrent.locks}: a class has only one superclass, and an outage of the store must not
 * look like a lock that was not held.
 */
public abstract sealed class LockException extends RuntimeException
    permits LockTimeoutException,
        LeaseTooShortException,
        LockKindException,
        StoreException,
        ClientClosedException,
        MissingTraitException {
  private static final long serialVersionUID = 1L;

  LockException(String message) {
    super(message);
  }
}
