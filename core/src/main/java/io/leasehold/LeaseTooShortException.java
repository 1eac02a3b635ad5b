package io.leasehold;

/**
 * The lease is held, but not for as long as {@link Lease#ensureHeld} was asked for: its longest
 * life ends before that, or the answer to its renewal was slow. Begin nothing that takes longer.
 */
public final class LeaseTooShortException extends LockException {
  private static final long serialVersionUID = 1L;

  /** Made by the engine. */
  public LeaseTooShortException(String message) {
    super(message);
  }
}
