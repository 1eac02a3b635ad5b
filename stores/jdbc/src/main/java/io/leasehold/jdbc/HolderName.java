package io.leasehold.jdbc;

/** The readable name of who holds or waits, as every database can keep it. */
final class HolderName {
  private static final int LONGEST = 1000;

  private HolderName() {}

  /** As long as its column is, and without what is no text: a thread may have any name. */
  static String bounded(String holder) {
    StringBuilder plain = new StringBuilder(Math.min(holder.length(), LONGEST));
    holder
        .codePoints()
        .map(
            c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) ? '?' : c)
        .takeWhile(c -> plain.length() + Character.charCount(c) <= LONGEST)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }
}
