package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits in the server's own queue for a few names, each on a connection and a thread of its own.
 * Whatever gets the lock writes the lease at once, and then says so. Other tickets are found out by
 * the engine's poll.
 */
final class NamedLockQueue implements Wakes {
  /** For how many names at once. */
  static final int MOST = 16;

  /** How long one request waits: so soon who has left is out of the queue. */
  private static final int WAITING_SECONDS = 1;

  private static final Duration PATIENCE = Duration.ofSeconds(WAITING_SECONDS + 4);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** A ticket in the queue. */
  private static final class Place {
    final Ticket ticket;
    final Object key;
    final OwnLanes lanes;
    final ReentrantLock lock = new ReentrantLock();
    @Nullable Session session;
    boolean left;

    Place(Ticket ticket, Object key, OwnLanes lanes) {
      this.ticket = ticket;
      this.key = key;
      this.lanes = lanes;
    }
  }

  private final SessionLanes lanes;
  private final NamedLocks locks;
  private final SessionGrants grants;
  private final PlacesHere rows;
  private final StoreListener listener;
  private final Clock clock;
  private final Threads threads = new Threads(MOST + 2);
  private final Map<LeaseId, Place> places = new ConcurrentHashMap<>();
  private volatile boolean closed;

  NamedLockQueue(
      SessionLanes lanes,
      NamedLocks locks,
      SessionGrants grants,
      PlacesHere rows,
      StoreListener listener,
      Clock clock) {
    this.lanes = lanes;
    this.locks = locks;
    this.grants = grants;
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
    Place place = new Place(ticket, grants.key(ticket), lanes.of(ticket));
    if (places.putIfAbsent(ticket.id(), place) == null) {
      threads.background(() -> queue(place));
    }
    return Watch.NOTHING_MISSED;
  }

  boolean isIn(Ticket ticket) {
    return places.containsKey(ticket.id());
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
    } finally {
      place.lock.unlock();
    }
  }

  private void queue(Place place) {
    try {
      Optional<Session> locked = waitFor(place);
      if (locked.isPresent()) {
        grant(place, locked.get());
      }
    } catch (SQLException | StoreException e) {
      Log.debug("not waiting in the server's queue", e);
      threads.schedule(() -> threads.background(() -> queue(place)), PAUSE.toNanos());
    }
  }

  /** Who withdraws the ticket meanwhile finds the lease, or it is ended again. */
  private void grant(Place place, Session session) {
    long sent = clock.nanos();
    long sentWall = clock.wallMillis();
    LeaseId id = place.ticket.id();
    Optional<Granted> grant;
    try (Limit limit = new Limit(clock, PATIENCE)) {
      grant = grants.grant(limit, place.ticket, place.key, session);
    }
    places.remove(id, place);
    if (grant.isPresent()) {
      listener.granted(id, grant.get(), () -> age(sent, sentWall));
      grants.leaveQueueSoon(place.ticket);
    } else {
      listener.wake(id);
    }
  }

  /** By whichever clock it is older: that of a host that was suspended may have stood still. */
  private Duration age(long sent, long sentWall) {
    Duration wall = Duration.ofMillis(clock.wallMillis() - sentWall);
    Duration own = Duration.ofNanos(clock.nanos() - sent);
    return wall.compareTo(own) > 0 ? wall : own;
  }

  /** The connection once it has the lock; empty once the ticket does not wait any more. */
  private Optional<Session> waitFor(Place place) throws SQLException {
    Session session = null;
    try {
      while (waits(place)) {
        try (Limit limit = new Limit(clock, PATIENCE)) {
          if (session == null) {
            session = place.lanes.take(limit);
            uses(place, session);
          }
          session.begin(limit);
          if (MySqlNamedLocks.await(session, place.key, WAITING_SECONDS)) {
            if (uses(place, null)) {
              return Optional.of(session);
            }
            // The holder that let it go has left the row to us.
            LeftRows.clear(session, place.ticket.name());
            locks.unlock(session, place.key);
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
      uses(place, null);
      place.lanes.giveBack(session);
    }
    return Optional.empty();
  }

  /** A ticket that the engine does not keep alive is as good as gone. */
  private boolean waits(Place place) {
    boolean waits = !closed && !place.left && rows.left(place.ticket) > 0;
    if (!waits) {
      places.remove(place.ticket.id(), place);
    }
    return waits;
  }

  /** Whether the ticket waits. */
  private static boolean uses(Place place, @Nullable Session session) {
    place.lock.lock();
    try {
      place.session = session;
      return !place.left;
    } finally {
      place.lock.unlock();
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
