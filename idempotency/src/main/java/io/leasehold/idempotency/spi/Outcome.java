package io.leasehold.idempotency.spi;

import java.util.Arrays;

/** The outcome of the work of a claim. Immutable, if the caller does not change its bytes. */
public final class Outcome {
  /** How work ended. Stores keep the name of the constant. */
  public enum Kind {
    /** The work returned a value. */
    VALUE,
    /** The work threw an exception, which later calls replay. */
    EXCEPTION,
    /** The work threw an exception after which it must never run again. */
    POISON,
    /** The work returned a value that is too large to keep. */
    TOO_LARGE
  }

  private final Kind kind;
  private final byte[] bytes;

  /**
   * Creates an outcome.
   *
   * @param bytes the data to replay; not copied, so do not change it
   */
  public Outcome(Kind kind, byte[] bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** How the work ended. */
  public Kind kind() {
    return kind;
  }

  /** The data to replay; not a copy, so do not change it. */
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

  /** Hides the data, which may be a secret. */
  @Override
  public String toString() {
    return kind + " of " + bytes.length + " bytes";
  }
}
