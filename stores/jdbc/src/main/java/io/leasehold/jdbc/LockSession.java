package io.leasehold.jdbc;

import io.leasehold.jdbc.Dialect.Trouble;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** A connection that has locks of the server. Who uses it has {@link #inUse}. */
final class LockSession {
  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(10);

  /**
   * A lock that it has.
   *
   * @param key the server's name for it
   */
  record Held(String name, LeaseId id, Object key) {}

  final Session session;
  final OwnLanes lanes;
  final ReentrantLock inUse = new ReentrantLock();
  final Map<LeaseId, Held> held = new ConcurrentHashMap<>();

  /** Whether a beat of it is about to begin. */
  final AtomicBoolean beats = new AtomicBoolean();

  /** How long the server keeps it though it is silent. */
  final Duration idle;

  private final ServerErrors errors;
  private final Clock clock;

  /** When the last request that was answered had been sent. */
  private volatile long sent;

  /** Whether it was given back or has ended. */
  private boolean over;

  LockSession(Session session, OwnLanes lanes, Duration idle, ServerErrors errors, Clock clock) {
    this.errors = errors;
    this.session = session;
    this.lanes = lanes;
    this.idle = idle;
    this.clock = clock;
    this.sent = clock.nanos();
  }

  /** A request. */
  interface Request<T> {
    T send(Session session) throws SQLException;
  }

  /**
   * Sends a request, or several, which may be sent again after one had no effect. What a caller has
   * left bounds it only where no other lease has a lock here: JDBC cannot give up an answer without
   * the connection.
   */
  <T> T ask(Limit limit, Request<T> request) throws SQLException {
    try (Limit patient = new Limit(clock, patience(limit))) {
      while (true) {
        long now = clock.nanos();
        session.begin(patient);
        try {
          T answer = request.send(session);
          sent = now;
          return answer;
        } catch (SQLException e) {
          // Others may be in the row's way for a moment.
          Trouble trouble = errors.trouble(e);
          boolean passes = trouble == Trouble.BUSY || trouble == Trouble.LOCKED;
          if (!passes || limit.hasPassed()) {
            throw e;
          }
          limit.pause();
        }
      }
    }
  }

  private Duration patience(Limit limit) {
    Duration left = Duration.ofNanos(limit.left());
    Duration most = idle.minus(LockSessions.MARGIN).multipliedBy(2).dividedBy(3);
    Duration patience = most.compareTo(LONGEST_PATIENCE) < 0 ? most : LONGEST_PATIENCE;
    return held.isEmpty() || left.compareTo(patience) > 0 ? left : patience;
  }

  /** For how long the server surely keeps it. */
  Duration left() {
    return idle.minusNanos(clock.nanos() - sent);
  }

  boolean has(Object key) {
    return held.values().stream().anyMatch(one -> one.key().equals(key));
  }

  void add(Ticket ticket, Object key) {
    held.put(ticket.id(), new Held(ticket.name(), ticket.id(), key));
  }

  boolean isOver() {
    return over;
  }

  void end() {
    over = true;
    lanes.discard(session);
  }

  void giveBack() {
    over = true;
    lanes.giveBack(session);
  }
}
