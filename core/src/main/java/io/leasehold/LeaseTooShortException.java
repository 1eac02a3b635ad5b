package io.leasehold;

/**
 * The lease is held, but for less time than {@link Lease#ensureHeld} asked for: its longest life
 * ends before that, or the answer to its renewal was slow. Start no work that takes longer.
 */
public final class LeaseTooShortException extends LockException {
  private static final long serialVersionUID = 1L;

  /** For the engine; the message says how much longer the lease stands. */
  public LeaseTooShortException(String message) {
    super(message);
  }
}
