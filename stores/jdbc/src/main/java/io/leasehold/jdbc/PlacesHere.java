package io.leasehold.jdbc;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which tickets of this process have a row among those who wait, and until when they surely have
 * it; so no request has to ask. And which were given up while an attempt of theirs was under way.
 * Thread-safe.
 */
final class PlacesHere {
  /** A hundredth less than the life that was asked for: clocks may differ by as much. */
  private static final long DRIFT_PERCENT = 1;

  private final Clock clock;

  /**
   * A row.
   *
   * @param end until when it surely is there
   * @param granted whether its ticket does not wait any more, and the row was left behind
   */
  private record Place(long end, boolean granted) {}

  /** Attempts of one ticket that have begun and not ended, and whether it was given up. */
  private record UnderWay(int attempts, boolean givenUp) {}

  private final Map<LeaseId, Place> places = new ConcurrentHashMap<>();
  private final Map<LeaseId, UnderWay> underWay = new ConcurrentHashMap<>();

  PlacesHere(Clock clock) {
    this.clock = clock;
  }

  /**
   * To be read before its row is written.
   *
   * @return what {@link #kept} is to be told once it is
   */
  long endIfWrittenNow(Ticket ticket) {
    long life = Places.lifeNanos(ticket);
    return clock.nanos() + life - life * DRIFT_PERCENT / 100;
  }

  /**
   * Its row was written.
   *
   * @return false if it was forgotten or given up meanwhile: then the row is to be removed
   */
  boolean kept(Ticket ticket, long end) {
    if (isGivenUp(ticket)) {
      forget(ticket);
      return false;
    }
    return places.computeIfPresent(ticket.id(), (id, place) -> new Place(end, place.granted()))
        != null;
  }

  /** Its row is about to be written, or may be there: who leaves must remove it. */
  void begin(Ticket ticket) {
    places.computeIfAbsent(ticket.id(), id -> new Place(clock.nanos(), false));
  }

  /** It does not wait any more, and its row was left behind. */
  void granted(Ticket ticket) {
    places.computeIfPresent(ticket.id(), (id, place) -> new Place(place.end(), true));
  }

  boolean mayHaveRow(Ticket ticket) {
    return places.containsKey(ticket.id());
  }

  boolean isWaiting(Ticket ticket) {
    Place place = places.get(ticket.id());
    return place != null && !place.granted();
  }

  /** How long it surely keeps its place; not positive if that is not known. */
  long left(Ticket ticket) {
    Place place = places.get(ticket.id());
    return place == null ? 0 : place.end() - clock.nanos();
  }

  /** An attempt of it begins, until {@link #attempted}. */
  void attempting(Ticket ticket) {
    underWay.merge(
        ticket.id(),
        new UnderWay(1, false),
        (was, one) -> new UnderWay(was.attempts() + 1, was.givenUp()));
  }

  void attempted(Ticket ticket) {
    underWay.computeIfPresent(
        ticket.id(),
        (id, was) -> was.attempts() == 1 ? null : new UnderWay(was.attempts() - 1, was.givenUp()));
  }

  boolean isGivenUp(Ticket ticket) {
    UnderWay now = underWay.get(ticket.id());
    return now != null && now.givenUp();
  }

  /**
   * To be called before its row is removed, of which an attempt that is under way leaves none from
   * now on; whether there may be one.
   */
  boolean giveUp(Ticket ticket) {
    underWay.computeIfPresent(ticket.id(), (id, was) -> new UnderWay(was.attempts(), true));
    return forget(ticket);
  }

  /** To be called before its row is removed; whether there may be one. */
  boolean forget(Ticket ticket) {
    return places.remove(ticket.id()) != null;
  }
}
