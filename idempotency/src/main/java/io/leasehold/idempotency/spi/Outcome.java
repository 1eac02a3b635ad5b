package io.leasehold.idempotency.spi;

import java.util.Arrays;

/** What came of the work of a claim. Immutable, if its bytes are left alone. */
public final class Outcome {
  /** How work ended. A store keeps the name. */
  public enum Kind {
    /** With a value. */
    VALUE,
    /** With an exception that is thrown again. */
    EXCEPTION,
    /** With an exception after which the key is not to be used again. */
    POISON,
    /** With a value that is too large to be kept. */
    TOO_LARGE
  }

  private final Kind kind;
  private final byte[] bytes;

  /**
   * An outcome.
   *
   * @param bytes what is replayed; not copied, and not to be changed
   */
  public Outcome(Kind kind, byte[] bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** How it ended. */
  public Kind kind() {
    return kind;
  }

  /** What is replayed; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Outcome that && kind == that.kind && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + Arrays.hashCode(bytes);
  }

  /** Without what may be a secret. */
  @Override
  public String toString() {
    return kind + " of " + bytes.length + " bytes";
  }
}
