package io.leasehold;

/** The store lacks a required {@link Trait}. The message says which setting to change. */
public final class MissingTraitException extends LockException {
  private static final long serialVersionUID = 1L;

  private final Trait trait;

  /** For the engine; the message names the store and says what to change. */
  public MissingTraitException(Trait trait, String message) {
    super(message);
    this.trait = trait;
  }

  /** The trait that is missing. */
  public Trait trait() {
    return trait;
  }
}
