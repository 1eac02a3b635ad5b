package io.leasehold.spi;

/**
 * Makes a fencing token from the fence number of a store: {@code number << 10 | n}, where n counts
 * the hand-overs inside one grant of the store. So each hand-over gives a higher token without a
 * request, and the token of the next grant is higher still.
 */
public final class FenceNumber {
  /** The number of bits by which a fence number is shifted left in a token. */
  public static final int SHIFT = 10;

  /** The largest number of hand-overs inside one grant. */
  public static final int MAX_HAND_OVERS = (1 << SHIFT) - 1;

  /** The largest fence number. */
  public static final long MAX = (1L << (63 - SHIFT)) - 1;

  private FenceNumber() {}

  /** The token of the {@code n}-th hand-over of grant {@code number}. */
  public static long token(long number, int n) {
    return number << SHIFT | n;
  }

  /** The fence number of a token. */
  public static long number(long token) {
    return token >>> SHIFT;
  }
}
