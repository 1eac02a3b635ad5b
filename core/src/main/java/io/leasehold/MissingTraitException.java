package io.leasehold;

/**
 * The store lacks a {@link Trait} that the caller requires. The message says what to write to
 * accept that.
 */
public final class MissingTraitException extends LockException {
  private static final long serialVersionUID = 1L;

  private final Trait trait;

  /** Made by the engine. */
  public MissingTraitException(Trait trait, String message) {
    super(message);
    this.trait = trait;
  }

  /** The trait that is missing. */
  public Trait trait() {
    return trait;
  }
}
