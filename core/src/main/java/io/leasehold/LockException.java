package io.leasehold;

/**
 * Root of what Leasehold throws when a lock is not to be had, or not known to be. One {@code catch}
 * covers all of it but {@link LeaseLostException}, which is an {@link IllegalMonitorStateException}
 * for code written against {@code java.util.concurrent.locks}: a class has one parent only, and an
 * outage of the store must not look like a lock that was not held.
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
