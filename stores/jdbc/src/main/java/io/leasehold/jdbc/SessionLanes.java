package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Connections that may take locks, of each ttl their own. Thread-safe. */
final class SessionLanes implements AutoCloseable {
  private static final int MOST = 2 * LockSessions.OWN + NamedLockQueue.MOST;

  private final LaneSource source;
  private final NamedLocks locks;
  private final Dialect dialect;
  private final ServerErrors errors;
  private final Clock clock;
  private final Threads threads;
  private final Map<Duration, OwnLanes> byIdle = new ConcurrentHashMap<>();

  /** So that the first attempt need not wait for one. */
  private final AtomicReference<@Nullable Session> spare = new AtomicReference<>();

  private volatile boolean closed;

  SessionLanes(
      LaneSource source,
      NamedLocks locks,
      Dialect dialect,
      ServerErrors errors,
      Clock clock,
      Threads threads)
      throws SQLException {
    this.source = source;
    this.locks = locks;
    this.dialect = dialect;
    this.errors = errors;
    this.clock = clock;
    this.threads = threads;
    spare.set(source.open());
  }

  /** How long the server bears the silence of a ticket's connection. */
  static Duration idle(Ticket ticket) {
    return ticket.ttl().plus(LockSessions.MARGIN);
  }

  OwnLanes of(Ticket ticket) {
    OwnLanes found =
        byIdle.computeIfAbsent(
            idle(ticket),
            idle -> new OwnLanes(() -> opened(idle), dialect, errors, clock, threads, MOST));
    if (closed) {
      found.close();
    }
    return found;
  }

  private Session opened(Duration idle) throws SQLException {
    Session ready = spare.getAndSet(null);
    if (ready != null) {
      try {
        return limited(ready, idle);
      } catch (SQLException e) {
        debug("a connection has ended before it was used", e);
      }
    }
    return limited(source.open(), idle);
  }

  private Session limited(Session session, Duration idle) throws SQLException {
    try {
      locks.endIdleAfter(session, idle);
      return session;
    } catch (SQLException | RuntimeException e) {
      dialect.end(session.connection());
      throw e;
    }
  }

  private static void debug(String what, SQLException e) {
    Log.debug(what, e);
  }

  @Override
  public void close() {
    closed = true;
    byIdle.values().forEach(OwnLanes::close);
    Session unused = spare.getAndSet(null);
    if (unused != null) {
      try {
        dialect.end(unused.connection());
      } catch (SQLException e) {
        debug("a connection did not close", e);
      }
    }
  }
}
