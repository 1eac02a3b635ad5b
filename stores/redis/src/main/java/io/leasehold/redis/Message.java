package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client hears on its channel: a lease id alone, which wakes; or, blanks between, the id,
 * the number under which it was granted, whether others wait, 0 or 1, and the ids of its run.
 *
 * @param number 0 if it only wakes
 */
record Message(LeaseId id, long number, boolean wanted, List<LeaseId> run) {
  private static final int ID = 32;

  /** A number with so many is above 2^53 already, and fits. */
  private static final int MOST_DIGITS = 18;

  /** Null if it is none: any client may publish there. */
  static @Nullable Message parse(byte[] read) {
    try {
      LeaseId id = LeaseId.parse(read, 0);
      if (read.length == ID) {
        return new Message(id, 0, false, List.of());
      }
      int blank = ID + 1;
      long number = 0;
      for (; blank < read.length && read[blank] != ' '; blank++) {
        int digit = read[blank] - '0';
        if (digit < 0 || digit > 9) {
          return null;
        }
        number = number * 10 + digit;
      }
      int wanted = blank + 1;
      int digits = blank - ID - 1;
      if (read[ID] != ' ' || digits == 0 || digits > MOST_DIGITS || wanted >= read.length) {
        return null;
      }
      return new Message(id, number, read[wanted] == '1', ids(read, wanted + 1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The lease ids from there on, a blank before each. */
  static List<LeaseId> ids(byte[] text, int from) {
    if (from == text.length) {
      return List.of();
    }
    List<LeaseId> ids = new ArrayList<>();
    for (int blank = from; blank < text.length; blank += 1 + ID) {
      ids.add(LeaseId.parse(text, blank + 1));
    }
    return ids;
  }
}
