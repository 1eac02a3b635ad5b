package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import java.nio.charset.StandardCharsets;
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

  /** Null if it is none: anybody may publish there. */
  static @Nullable Message parse(String text) {
    try {
      if (text.length() == ID) {
        return new Message(LeaseId.parse(text), 0, false, List.of());
      }
      int wanted = text.indexOf(' ', ID + 1) + 1;
      if (wanted == 0 || wanted == text.length() || text.charAt(ID) != ' ') {
        return null;
      }
      LeaseId id = LeaseId.parse(text.substring(0, ID));
      long number = number(text.substring(ID + 1, wanted - 1));
      return new Message(id, number, text.charAt(wanted) == '1', ids(text, wanted + 1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** As {@link Long#parseLong}, which makes six calls for each digit. */
  private static long number(String text) {
    if (text.isEmpty() || text.length() > MOST_DIGITS) {
      throw new NumberFormatException(text);
    }
    long number = 0;
    for (byte digit : text.getBytes(StandardCharsets.ISO_8859_1)) {
      if (digit < '0' || digit > '9') {
        throw new NumberFormatException(text);
      }
      number = number * 10 + digit - '0';
    }
    return number;
  }

  /** The lease ids from there on, a blank before each. */
  static List<LeaseId> ids(String text, int from) {
    if (from == text.length()) {
      return List.of();
    }
    List<LeaseId> ids = new ArrayList<>();
    for (int blank = from; blank < text.length(); blank += 1 + ID) {
      ids.add(LeaseId.parse(text.substring(blank + 1, Math.min(text.length(), blank + 1 + ID))));
    }
    return ids;
  }
}
