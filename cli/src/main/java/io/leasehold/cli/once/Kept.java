package io.leasehold.cli.once;

/** What is kept of a stream. Immutable, if its bytes are left alone. */
public final class Kept {
  private final Extent extent;
  private final byte[] bytes;

  /** Of bytes, which are not copied. */
  Kept(Extent extent, byte[] bytes) {
    this.extent = extent;
    this.bytes = bytes;
  }

  /** How much of a stream is kept. A record holds the name. */
  public enum Extent {
    /** Nothing: it went to a terminal, or was not to be kept. */
    NOTHING,
    /** All of it. */
    ALL,
    /** Its first {@link Tee#MOST} bytes. */
    BEGINNING
  }

  /** Of a stream that is not kept. */
  public static Kept nothing() {
    return new Kept(Extent.NOTHING, new byte[0]);
  }

  /** How much it is. */
  public Extent extent() {
    return extent;
  }

  /** What it is; not a copy. */
  public byte[] bytes() {
    return bytes;
  }
}
