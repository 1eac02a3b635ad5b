package io.leasehold.sessions;

import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A session, the acquisitions that have their entries in it, and its beats. Thread-safe. */
final class OpenSession {
  /** A session without entries is ended after this time. */
  private static final Duration IDLE = Duration.ofMinutes(1);

  final Duration ttl;

  private final long every;
  private final long yield;
  private final Clock clock;
  private final Set<Place> places = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Session session;
  private volatile boolean ended;
  private volatile long beatSent;
  private volatile long used;

  /**
   * Not open yet.
   *
   * @param every how much time may pass between two beats
   * @param yield what a lease in it may count on
   */
  OpenSession(Duration ttl, Duration every, Duration yield, Clock clock) {
    this.ttl = ttl;
    this.every = every.toNanos();
    this.yield = yield.toNanos();
    this.clock = clock;
  }

  void begin(Session opened) {
    session = opened;
    beatSent = used = clock.nanos();
  }

  Session session() {
    return Objects.requireNonNull(session);
  }

  boolean hasEnded() {
    return ended;
  }

  /** Adds an acquisition, unless the session has ended. */
  synchronized boolean add(Place place) {
    used = clock.nanos();
    if (!ended) {
      places.add(place);
    }
    return !ended;
  }

  void remove(Place place) {
    places.remove(place);
  }

  /**
   * The store has ended it, or this client does. Yields what was in it; nothing the second time.
   */
  synchronized List<Place> end() {
    List<Place> gone = ended ? List.of() : List.copyOf(places);
    ended = true;
    return gone;
  }

  /** Ends it for good. */
  CompletionStage<Boolean> close() {
    end();
    return session().end().thenApply(done -> true);
  }

  /** Whether it has had no entries for a while. */
  boolean isIdle() {
    return places.isEmpty() && clock.nanos() - used > IDLE.toNanos();
  }

  /** Ends it if it is idle. */
  synchronized boolean endIfIdle() {
    ended |= isIdle();
    return ended;
  }

  long now() {
    return clock.nanos();
  }

  /** How long the next beat has time. */
  long untilBeat() {
    return every - (clock.nanos() - beatSent);
  }

  List<Place> places() {
    return List.copyOf(places);
  }

  /** How long until the first one lapses. */
  long untilLapse() {
    long now = clock.nanos();
    long least = ttl.toNanos();
    for (Place place : places) {
      least = Math.min(least, ttl.toNanos() - (now - place.heard));
    }
    return least;
  }

  /**
   * How many nanoseconds a lease in it certainly lives: no more than what it may count on at any
   * time, so that each renewal brings the same. Zero or less if the session may have ended.
   */
  long left() {
    return Math.min(yield, session().life().leftNanos());
  }

  /** How much has passed since this was {@link #left}; nothing if a beat came between. */
  Duration passed(long then) {
    return Duration.ofNanos(Math.max(0, then - Math.max(0, left())));
  }

  /** A beat if less is left than a lease may count on, unless the last one was sent just now. */
  CompletionStage<Void> beatIfDue() {
    boolean isDue = left() < yield;
    return isDue && clock.nanos() - beatSent >= every / 2
        ? beat()
        : CompletableFuture.completedFuture(null);
  }

  CompletionStage<Void> beat() {
    beatSent = clock.nanos();
    return session().beat(Duration.ofNanos(every));
  }
}
