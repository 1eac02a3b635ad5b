package io.leasehold;

/**
 * Root of everything that Leasehold throws on its own account. One {@code catch} covers all of it.
 *
 * <p>It is an {@link IllegalMonitorStateException} because {@link LeaseLostException} must be one,
 * for code written against {@code java.util.concurrent.locks}, and a class has one parent only.
 */
public abstract sealed class LockException extends IllegalMonitorStateException
    permits LockTimeoutException,
        LeaseLostException,
        LockKindException,
        StoreException,
        ClientClosedException,
        MissingTraitException {
  private static final long serialVersionUID = 1L;

  LockException(String message) {
    super(message);
  }
}
