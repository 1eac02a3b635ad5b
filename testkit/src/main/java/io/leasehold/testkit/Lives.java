package io.leasehold.testkit;

import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Until when tickets live: each for itself, or all of one ttl and client together in a session. */
final class Lives {
  /** Until when something lives. */
  static final class Life {
    private long end;

    private Life(long end) {
      this.end = end;
    }

    long left(long now) {
      return end - now;
    }
  }

  private record SessionKey(long client, Duration ttl) {}

  private final Map<SessionKey, Life> sessions = new HashMap<>();
  private final boolean inSessions;
  private long longest = Long.MAX_VALUE;

  Lives(boolean inSessions) {
    this.inSessions = inSessions;
  }

  /** For a ticket that is new here. */
  Life begin(Ticket ticket, long now) {
    Life fresh = new Life(now + of(ticket));
    if (!inSessions) {
      return fresh;
    }
    sessions.values().removeIf(session -> session.left(now) <= 0);
    Life session = sessions.putIfAbsent(new SessionKey(ticket.id().client(), ticket.ttl()), fresh);
    return session == null ? fresh : session;
  }

  /** Never shortens it: the answer may be lost, and its holder counts on what it was told. */
  void renew(Life life, Ticket ticket, long now) {
    life.end += Math.max(0, of(ticket) - life.left(now));
  }

  private long of(Ticket ticket) {
    return Math.min(longest, ticket.ttl().toNanos());
  }

  /** From now on nothing is given more. */
  void limit(Duration newLongest) {
    longest = newLongest.toNanos();
  }

  /** As an operator may: not for longer than the limit from now. */
  void shorten(Life life, long now) {
    life.end -= Math.max(0, life.left(now) - longest);
  }

  /** Ends the sessions of a client. */
  void end(long client, long now) {
    sessions.forEach(
        (key, session) -> {
          if (key.client == client) {
            session.end = now;
          }
        });
  }
}
