package io.leasehold.sessions;

import io.leasehold.LockMode;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;

/**
 * What one acquisition has put under a lock name.
 *
 * @param name the lock name
 * @param key what the store calls it: unique among all entries that the store ever has
 * @param id the acquisition
 * @param mode how it shares the name
 * @param permits how many permits it takes; 1 unless the mode is {@link LockMode#PERMITS}
 * @param limit the total number of permits; 1 unless the mode is {@link LockMode#PERMITS}
 * @param number the number that the store gave it, which rises; 0 if a list does not have it
 * @param details what a person wants to know of it
 */
public record Entry(
    String name,
    String key,
    LeaseId id,
    LockMode mode,
    int permits,
    int limit,
    long number,
    Details details) {

  /**
   * What the answer to a request may lack, and a lock does not need.
   *
   * @param holder the caller in readable form; empty if not known
   * @param age the time since the entry was made; zero if not known
   * @param remaining how long its session lasts without a beat, at most; zero if not known
   */
  public record Details(String holder, Duration age, Duration remaining) {
    /** Nothing is known. */
    public static final Details NONE = new Details("", Duration.ZERO, Duration.ZERO);
  }

  /** Whether both may stand under one name: not a semaphore beside anything else. */
  boolean isOfOneKindWith(Entry other) {
    return mode == LockMode.PERMITS
        ? other.mode == LockMode.PERMITS && other.limit == limit
        : other.mode != LockMode.PERMITS;
  }

  /**
   * The mode, the permits and the lease id of a ticket in characters that every store takes in a
   * key: {@code x-ID}, {@code s-ID}, or {@code p2.5-ID} for two permits of five.
   */
  public static String label(Ticket ticket) {
    return switch (ticket.mode()) {
          case EXCLUSIVE -> "x";
          case SHARED -> "s";
          case PERMITS -> "p" + ticket.permits() + "." + ticket.limit();
        }
        + "-"
        + ticket.id();
  }

  /**
   * The entry of this label.
   *
   * @throws IllegalArgumentException if {@link #label} did not make it
   */
  public static Entry of(String name, String key, String label, long number, Details details) {
    int dash = label.indexOf('-');
    String kind = dash < 0 ? "" : label.substring(0, dash);
    LeaseId id = LeaseId.parse(label.substring(dash + 1));
    if (kind.equals("x") || kind.equals("s")) {
      LockMode mode = kind.equals("x") ? LockMode.EXCLUSIVE : LockMode.SHARED;
      return new Entry(name, key, id, mode, 1, 1, number, details);
    }
    int point = kind.indexOf('.');
    if (!kind.startsWith("p") || point < 0) {
      throw new IllegalArgumentException("'" + label + "' is not the label of an entry");
    }
    int permits = Integer.parseInt(kind.substring(1, point));
    int limit = Integer.parseInt(kind.substring(point + 1));
    return new Entry(name, key, id, LockMode.PERMITS, permits, limit, number, details);
  }
}
