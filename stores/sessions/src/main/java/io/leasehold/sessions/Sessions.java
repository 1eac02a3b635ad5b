package io.leasehold.sessions;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The sessions of this client: one for each ttl. Thread-safe. */
final class Sessions {
  /** An opening does not depend on how long the first caller can wait. */
  private static final Duration OPENING = Duration.ofSeconds(10);

  private static final long SHORTEST_PAUSE_NANOS = 5_000_000;

  private final EntryStore store;
  private final StoreListener listener;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Consumer<Place> lapse;
  private final Map<Duration, CompletableFuture<OpenSession>> open = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * None yet.
   *
   * @param lapse ends an acquisition if the engine does not ask for it any more
   */
  Sessions(
      EntryStore store,
      StoreListener listener,
      Clock clock,
      Scheduler scheduler,
      Consumer<Place> lapse) {
    this.lapse = lapse;
    this.store = store;
    this.listener = listener;
    this.clock = clock;
    this.scheduler = scheduler;
  }

  /** The session of this ttl, which is opened if there is none. */
  CompletionStage<OpenSession> of(Duration ttl) {
    CompletableFuture<OpenSession> known = open.get(ttl);
    if (known != null) {
      return known;
    }
    CompletableFuture<OpenSession> made = new CompletableFuture<>();
    CompletableFuture<OpenSession> first = open.putIfAbsent(ttl, made);
    if (first != null) {
      return first;
    }
    if (closed) {
      open.remove(ttl, made);
      return CompletableFuture.failedFuture(
          new StoreException(Failure.UNAVAILABLE, "the store was closed", null));
    }
    Duration yield = ttl.multipliedBy(store.traits().life().yieldPercent()).dividedBy(100);
    OpenSession one = new OpenSession(ttl, store.beatEvery(ttl), yield, clock);
    store
        .open(ttl, () -> lose(one, made), OPENING)
        .whenComplete(
            (session, failed) -> {
              if (failed != null) {
                open.remove(ttl, made);
                made.completeExceptionally(failed);
              } else {
                one.begin(session);
                beatLater(one, made);
                made.complete(one);
              }
            });
    return made;
  }

  private void beatLater(OpenSession one, CompletableFuture<OpenSession> made) {
    if (!closed) {
      long next = Math.min(one.untilBeat(), one.untilLapse());
      scheduler.schedule(() -> beat(one, made), Math.max(SHORTEST_PAUSE_NANOS, next));
    }
  }

  private void beat(OpenSession one, CompletableFuture<OpenSession> made) {
    if (one.isIdle()) {
      // First, so that an attempt which comes now opens another one
      open.remove(one.ttl, made);
      if (one.endIfIdle()) {
        CompletionStage<?> unused = one.session().end();
      }
    }
    if (one.hasEnded()) {
      return;
    }
    one.places().forEach(lapse);
    if (one.untilBeat() <= 0) {
      one.beat()
          .whenComplete(
              (done, failed) -> {
                if (failed != null) {
                  Log.debug("a session was not prolonged; the next beat follows", failed);
                }
              });
    }
    beatLater(one, made);
  }

  /** The store has ended it. */
  private void lose(OpenSession one, CompletableFuture<OpenSession> made) {
    open.remove(one.ttl, made);
    List<LeaseId> lost = new ArrayList<>();
    List<LeaseId> waiting = new ArrayList<>();
    for (Place place : one.end()) {
      (place.isGranted() ? lost : waiting).add(place.ticket.id());
    }
    // On another thread: a request that finds it out may be sent with a mutex
    scheduler.callback(
        Lane.ENGINE,
        () -> {
          if (!lost.isEmpty()) {
            listener.lost(lost);
          }
          waiting.forEach(listener::wake);
        });
  }

  /** Ends the sessions; waits for the answers for a moment. */
  void close() {
    closed = true;
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (CompletableFuture<OpenSession> each : open.values()) {
      ends.add(each.thenCompose(OpenSession::close));
    }
    open.clear();
    TimedJoin.ofClosing(ends);
  }
}
