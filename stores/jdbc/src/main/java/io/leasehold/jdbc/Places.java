package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import java.time.Duration;

/**
 * How long a waiter's row counts. A fair one keeps its place for its ttl; the others, who lose
 * little, are forgotten sooner, so that a dead one is not waited for.
 */
final class Places {
  private static final long LONGEST_UNFAIR_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long LONGEST_UNTOUCHED_NANOS = Duration.ofMillis(2500).toNanos();

  private Places() {}

  static long lifeNanos(Ticket ticket) {
    long ttl = ticket.ttl().toNanos();
    return ticket.fair() ? ttl : Math.min(LONGEST_UNFAIR_NANOS, ttl);
  }

  /**
   * Whether the row is to be written again: every few seconds, and well before a third of the ttl
   * has passed, though polling alone takes no write lock.
   *
   * @param leftNanos how long it still counts
   */
  static boolean isToBeKept(Ticket ticket, long leftNanos) {
    long untouched = lifeNanos(ticket) - leftNanos;
    return untouched > Math.min(LONGEST_UNTOUCHED_NANOS, ticket.ttl().toNanos() / 4);
  }
}
