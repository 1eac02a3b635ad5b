package io.leasehold.jdbc;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens on one connection, whatever the number of tickets that wait, from the first one on. What
 * is sent while it is not connected is lost, so the engine asks once it is again.
 */
final class PostgresWakes implements Wakes {
  /** How long one reading takes at most: then it looks whether the connection is still there. */
  private static final int READING_MILLIS = 10_000;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private final LaneSource source;
  private final String channel;
  private final StoreListener listener;
  private final Threads threads;
  private final Map<String, Map<LeaseId, Boolean>> waiting = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean begun;
  private boolean listening;

  /** Whether a connection could not be had, or was lost: it is not waited for again. */
  private boolean failed;

  private boolean closed;
  private @Nullable Connection connection;

  PostgresWakes(LaneSource source, String channel, StoreListener listener, Threads threads) {
    this.source = source;
    this.channel = channel;
    this.listener = listener;
    this.threads = threads;
  }

  /** Without a connection to listen on there is the poll. */
  @Override
  public Watch watch(Limit limit, Ticket ticket) {
    waiting.compute(
        ticket.name(),
        (name, before) -> {
          Map<LeaseId, Boolean> ids = before == null ? new ConcurrentHashMap<>() : before;
          ids.put(ticket.id(), ticket.fair());
          return ids;
        });
    lock.lock();
    try {
      if (!begun && !closed) {
        begun = true;
        threads.background(() -> listen(FIRST_PAUSE));
      }
      while (!listening && !failed && !closed) {
        if (!limit.await(changed)) {
          break;
        }
      }
    } finally {
      lock.unlock();
    }
    return Watch.ATTEMPT_AGAIN;
  }

  @Override
  public void forget(Ticket ticket) {
    waiting.computeIfPresent(
        ticket.name(),
        (name, ids) -> {
          ids.remove(ticket.id());
          return ids.isEmpty() ? null : ids;
        });
  }

  private void listen(Duration pause) {
    Duration next = pause;
    try (Session session = source.openListening()) {
      Connection opened = session.connection();
      if (!use(opened)) {
        return;
      }
      try (Statement statement = opened.createStatement()) {
        statement.execute("LISTEN \"" + channel + "\"");
      }
      established();
      next = FIRST_PAUSE;
      read(opened);
    } catch (SQLException e) {
      Log.debug("not listening", e);
    } finally {
      again(next);
    }
  }

  private boolean use(Connection opened) {
    lock.lock();
    try {
      connection = opened;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void established() {
    lock.lock();
    try {
      listening = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    listener.reconnected();
  }

  private void read(Connection opened) throws SQLException {
    PGConnection postgres = opened.unwrap(PGConnection.class);
    while (true) {
      PGNotification[] all = postgres.getNotifications(READING_MILLIS);
      if (all == null || all.length == 0) {
        if (!opened.isValid(2)) {
          return;
        }
        continue;
      }
      for (PGNotification one : all) {
        told(one.getParameter());
      }
    }
  }

  /**
   * The message is the lease id of the only fair ticket that is to come, or nothing; and a name.
   */
  private void told(String message) {
    int space = message.indexOf(' ');
    if (space < 0) {
      return;
    }
    String first = message.substring(0, space);
    waiting
        .getOrDefault(message.substring(space + 1), Map.of())
        .forEach(
            (id, fair) -> {
              if (!fair || first.isEmpty() || id.toString().equals(first)) {
                listener.wake(id);
              }
            });
  }

  private void again(Duration pause) {
    lock.lock();
    try {
      listening = false;
      failed = true;
      connection = null;
      changed.signalAll();
      if (!closed) {
        Duration longer = pause.multipliedBy(2);
        Duration next = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
        threads.schedule(() -> threads.background(() -> listen(next)), pause.toNanos());
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    Connection open;
    lock.lock();
    try {
      closed = true;
      open = connection;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        Log.debug("a connection did not close", e);
      }
    }
  }
}
