package io.leasehold.sessions;

import io.leasehold.LockMode;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Durations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What one acquisition has put under a lock name.
 *
 * @param name the lock name
 * @param key what the store calls it: unique among the entries that stand. A later entry may have
 *     the key of one that is gone, and has a higher number then
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

    private static final Pattern TEXT =
        Pattern.compile("([\\w.]+) since (\\S+) (.*)", Pattern.DOTALL);
    private static final Pattern READABLE = Pattern.compile("[\\P{C}&&[^\\uFFFD]]{1,255}");

    /** Of an entry that is made now. */
    public static Details of(Ticket ticket) {
      return new Details(ticket.holder(), Duration.ZERO, ticket.ttl());
    }

    /**
     * The value of an entry, for people: {@code 30s since 2030-01-31T12:00:00Z HOLDER}.
     *
     * @param now the wall clock
     */
    public String text(long now) {
      Instant since = Instant.ofEpochMilli(now - age.toMillis());
      return Durations.show(remaining) + " since " + since + " " + holder;
    }

    /**
     * What a value says. What {@link #text} has not written is the holder, if a person can read it.
     *
     * @param now the wall clock; the age is by that of another machine
     */
    public static Details of(String text, long now) {
      Matcher parts = TEXT.matcher(text);
      try {
        if (parts.matches()) {
          long age = Math.max(0, now - Instant.parse(parts.group(2)).toEpochMilli());
          Duration ttl = Durations.parse(parts.group(1));
          return new Details(parts.group(3), Duration.ofMillis(age), ttl);
        }
      } catch (IllegalArgumentException | ArithmeticException | DateTimeException foreign) {
        // As any other
      }
      return READABLE.matcher(text).matches()
          ? new Details(text, Duration.ZERO, Duration.ZERO)
          : NONE;
    }
  }

  /** An exclusive one, which another kind of client has made, perhaps. */
  public static Entry exclusive(String name, String key, LeaseId id, long number, Details details) {
    return new Entry(name, key, id, LockMode.EXCLUSIVE, 1, 1, number, details);
  }

  /** The entry that a ticket has made. */
  public static Entry of(Ticket ticket, String key, long number) {
    return new Entry(
        ticket.name(),
        key,
        ticket.id(),
        ticket.mode(),
        ticket.permits(),
        ticket.limit(),
        number,
        Details.of(ticket));
  }

  /** This entry, of the acquisition that its value names. */
  public Entry with(LeaseId acquisition) {
    return new Entry(name, key, acquisition, mode, permits, limit, number, details);
  }

  /** The entry of a list, with what another answer says of it. */
  public Entry with(long newNumber, Details newDetails) {
    return new Entry(name, key, id, mode, permits, limit, newNumber, newDetails);
  }

  /** Whether both are the same entry, as one list after another says it. */
  boolean isSameAs(Entry other) {
    return key.equals(other.key) && number == other.number;
  }

  /** The entries of each name, in their order. */
  static Map<String, List<Entry>> byName(List<Entry> all) {
    return all.stream()
        .collect(Collectors.groupingBy(Entry::name, TreeMap::new, Collectors.toList()));
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
    return label(ticket, ticket.id());
  }

  /** The label of a ticket under another id. */
  public static String label(Ticket ticket, LeaseId id) {
    return switch (ticket.mode()) {
          case EXCLUSIVE -> "x";
          case SHARED -> "s";
          case PERMITS -> "p" + ticket.permits() + "." + ticket.limit();
        }
        + "-"
        + id;
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
