package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.internal.Clock;
import io.leasehold.internal.Threads;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits in the server's own queue for a few names, each on a connection and a thread of its own.
 * What gets the lock keeps it for the ticket, which is told to come for it. Other tickets are found
 * out by the engine's poll.
 */
final class NamedLockQueue implements Wakes {
  /** For how many names at once. */
  static final int MOST = 16;

  /** How long one request waits: so soon who has left is out of the queue. */
  private static final int WAITING_SECONDS = 1;

  /** How long a lock waits for a ticket that was told: longer than a poll. */
  private static final Duration UNCLAIMED = Duration.ofMillis(1500);

  private static final Duration PATIENCE = Duration.ofSeconds(WAITING_SECONDS + 4);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** A ticket in the queue. */
  private static final class Place {
    final Ticket ticket;
    final OwnLanes lanes;
    final ReentrantLock lock = new ReentrantLock();
    @Nullable Session session;
    boolean got;
    boolean left;

    Place(Ticket ticket, OwnLanes lanes) {
      this.ticket = ticket;
      this.lanes = lanes;
    }
  }

  private final SessionLanes lanes;
  private final NamedLocks locks;
  private final String scope;
  private final PlacesHere rows;
  private final StoreListener listener;
  private final Clock clock;
  private final Threads threads = new Threads(MOST + 2);
  private final Map<LeaseId, Place> places = new ConcurrentHashMap<>();
  private volatile boolean closed;

  NamedLockQueue(
      SessionLanes lanes,
      NamedLocks locks,
      String scope,
      PlacesHere rows,
      StoreListener listener,
      Clock clock) {
    this.lanes = lanes;
    this.locks = locks;
    this.scope = scope;
    this.rows = rows;
    this.listener = listener;
    this.clock = clock;
  }

  /** The server tells of a lock that is free by then. */
  @Override
  public Watch watch(Limit limit, Ticket ticket) {
    if (closed || places.size() >= MOST) {
      return Watch.ATTEMPT_AGAIN;
    }
    Place place = new Place(ticket, lanes.of(ticket));
    if (places.putIfAbsent(ticket.id(), place) == null) {
      threads.request(() -> queue(place));
    }
    return Watch.NOTHING_MISSED;
  }

  /** Whether the ticket has its lock. */
  boolean has(Ticket ticket) {
    Place place = places.get(ticket.id());
    return place != null && place.got;
  }

  boolean isIn(Ticket ticket) {
    return places.containsKey(ticket.id());
  }

  /** The connection that has the ticket's lock, for good. */
  Optional<Session> claim(Ticket ticket) {
    Place place = places.get(ticket.id());
    if (place == null) {
      return Optional.empty();
    }
    place.lock.lock();
    try {
      if (!place.got || place.left) {
        return Optional.empty();
      }
      places.remove(ticket.id());
      place.left = true;
      return Optional.ofNullable(place.session);
    } finally {
      place.lock.unlock();
    }
  }

  @Override
  public void forget(Ticket ticket) {
    Place place = places.remove(ticket.id());
    if (place == null) {
      return;
    }
    place.lock.lock();
    try {
      place.left = true;
      if (place.got) {
        threads.request(() -> giveBack(place));
      }
    } finally {
      place.lock.unlock();
    }
  }

  private void queue(Place place) {
    try {
      if (waitFor(place)) {
        listener.wake(place.ticket.id());
        threads.schedule(() -> threads.request(() -> unclaimed(place)), UNCLAIMED.toNanos());
      }
    } catch (SQLException | StoreException e) {
      System.getLogger(NamedLockQueue.class.getName())
          .log(System.Logger.Level.DEBUG, "not waiting in the server's queue", e);
      threads.schedule(() -> threads.request(() -> queue(place)), PAUSE.toNanos());
    }
  }

  /** Until the lock is there or the ticket does not wait any more; whether it is there. */
  private boolean waitFor(Place place) throws SQLException {
    Session session = null;
    Object key = locks.key(scope, place.ticket.name());
    try {
      while (waits(place)) {
        try (Limit limit = new Limit(clock, PATIENCE)) {
          if (session == null) {
            session = place.lanes.take(limit);
            uses(place, session);
          }
          session.begin(limit);
          if (MySqlNamedLocks.await(session, key, WAITING_SECONDS) && keeps(place)) {
            return true;
          }
        }
      }
    } catch (SQLException e) {
      if (session != null) {
        uses(place, null);
        place.lanes.discard(session);
      }
      throw e;
    }
    if (session != null) {
      giveBack(place);
    }
    return false;
  }

  /** A ticket that nobody keeps alive is as good as gone. */
  private boolean waits(Place place) {
    boolean waits = !closed && !place.left && rows.left(place.ticket) > 0;
    if (!waits) {
      places.remove(place.ticket.id(), place);
    }
    return waits;
  }

  private static void uses(Place place, @Nullable Session session) {
    place.lock.lock();
    try {
      place.session = session;
    } finally {
      place.lock.unlock();
    }
  }

  private static boolean keeps(Place place) {
    place.lock.lock();
    try {
      place.got = !place.left;
      return place.got;
    } finally {
      place.lock.unlock();
    }
  }

  /** Nobody came for it: others are next. */
  private void unclaimed(Place place) {
    place.lock.lock();
    try {
      if (!place.got || place.left) {
        return;
      }
      place.got = false;
    } finally {
      place.lock.unlock();
    }
    giveBack(place);
    queue(place);
  }

  /** Frees the lock, if it is there. */
  private void giveBack(Place place) {
    Session session;
    place.lock.lock();
    try {
      session = place.session;
      place.session = null;
      place.got = false;
    } finally {
      place.lock.unlock();
    }
    if (session == null) {
      return;
    }
    try (Limit limit = new Limit(clock, PATIENCE)) {
      session.begin(limit);
      locks.unlock(session, locks.key(scope, place.ticket.name()));
      place.lanes.giveBack(session);
    } catch (SQLException e) {
      place.lanes.discard(session);
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Place place : places.values()) {
      place.lock.lock();
      try {
        place.left = true;
        if (place.session != null) {
          place.lanes.discard(place.session);
        }
      } finally {
        place.lock.unlock();
      }
    }
    threads.close();
  }
}
