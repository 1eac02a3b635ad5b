package io.leasehold.cli.once;

/**
 * What is kept of a stream.
 *
 * @param extent how much
 * @param bytes not to be changed
 */
public record Kept(Extent extent, byte[] bytes) {
  /** How much of a stream is kept. A record holds the ordinal. */
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
}
