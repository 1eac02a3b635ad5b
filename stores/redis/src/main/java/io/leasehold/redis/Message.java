package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import org.jspecify.annotations.Nullable;

/**
 * What a client hears on its channel: a lease id alone, which wakes; or, blanks between, the id,
 * the number under which it was granted, and whether others wait, 0 or 1.
 *
 * @param number 0 if it only wakes
 */
record Message(LeaseId id, long number, boolean wanted) {
  private static final int ID = 32;

  /** Null if it is none: anybody may publish there. */
  static @Nullable Message parse(String text) {
    try {
      if (text.length() == ID) {
        return new Message(LeaseId.parse(text), 0, false);
      }
      int last = text.lastIndexOf(' ');
      if (last <= ID || text.charAt(ID) != ' ') {
        return null;
      }
      LeaseId id = LeaseId.parse(text.substring(0, ID));
      long number = Long.parseLong(text, ID + 1, last, 10);
      return new Message(id, number, text.endsWith(" 1"));
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
