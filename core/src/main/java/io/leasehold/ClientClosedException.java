package io.leasehold;

/** The {@link LockClient} was closed, before the call or while the call waited. */
public final class ClientClosedException extends LockException {
  private static final long serialVersionUID = 1L;

  /** For the engine; the message names the lock or the call. */
  public ClientClosedException(String message) {
    super(message);
  }
}
