package io.leasehold.memcached;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The value under the key of a lock.
 *
 * @param since when the lease was taken, for people: the wall clock of its holder
 * @param sent when this value was sent, by the monotonic clock of the holder's process
 * @param sentWall the same by its wall clock, which goes on while the host is suspended
 */
record Item(
    LeaseId id, Duration ttl, long since, long sent, long sentWall, String name, String holder) {
  private static final String KIND = "leasehold1";

  static Item of(Ticket ticket, Clock clock) {
    long wall = clock.wallMillis();
    return new Item(
        ticket.id(), ticket.ttl(), wall, clock.nanos(), wall, ticket.name(), ticket.holder());
  }

  /** The same lease, with a value that is sent now. */
  Item renewed(Duration newTtl, Clock clock) {
    return new Item(id, newTtl, since, clock.nanos(), clock.wallMillis(), name, holder);
  }

  /** How long the lease certainly lives. Only the process that has the id may ask. */
  Duration left(Clock clock) {
    long byWall = (clock.wallMillis() - sentWall) * 1_000_000;
    Duration left = ttl.minusNanos(Math.max(clock.nanos() - sent, byWall));
    return left.isNegative() ? Duration.ZERO : left;
  }

  String text() {
    String numbers = ttl.toMillis() + " " + since + " " + sent + " " + sentWall;
    return KIND + " " + id + " " + numbers + " " + name.length() + "\n" + name + holder;
  }

  /** Reads a value; null if it is none of a lock with this name. */
  static @Nullable Item parse(String value, String name) {
    String[] parts = value.split("\n", 2);
    String[] fields = parts[0].split(" ", -1);
    if (parts.length != 2 || fields.length != 7 || !fields[0].equals(KIND)) {
      return null;
    }
    try {
      int length = Integer.parseInt(fields[6]);
      if (!parts[1].substring(0, length).equals(name)) {
        return null;
      }
      return new Item(
          LeaseId.parse(fields[1]),
          Duration.ofMillis(Long.parseLong(fields[2])),
          Long.parseLong(fields[3]),
          Long.parseLong(fields[4]),
          Long.parseLong(fields[5]),
          name,
          parts[1].substring(length));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return null;
    }
  }
}
