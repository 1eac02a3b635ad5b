package io.leasehold.spi;

/**
 * How a fencing token is made of a store's fence number: {@code number << 10 | n}, n counting the
 * hand-overs inside one grant of the store. So a hand-over yields a higher token without a request,
 * still below that of the next grant.
 */
public final class FenceNumber {
  /** How far a number is shifted in a token. */
  public static final int SHIFT = 10;

  /** The most hand-overs inside one grant. */
  public static final int MAX_HAND_OVERS = (1 << SHIFT) - 1;

  /** The largest fence number. */
  public static final long MAX = (1L << (63 - SHIFT)) - 1;

  private FenceNumber() {}

  /** The token of the {@code n}-th hand-over of grant {@code number}. */
  public static long token(long number, int n) {
    return number << SHIFT | n;
  }

  /** The number that a token was made of. */
  public static long number(long token) {
    return token >>> SHIFT;
  }
}
