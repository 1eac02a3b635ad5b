package io.leasehold.sessions;

import io.leasehold.Finding;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.EndedIds;
import io.leasehold.spi.support.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The lock over the entries of a store that has sessions. Grants in the order of arrival, in all
 * modes. One session serves all leases of one ttl; the client prolongs it, and removes the entry of
 * a lease that the engine has not renewed for its ttl. Thread-safe.
 */
public final class SessionLockStore implements LockStore {
  private final EntryStore store;
  private final StoreListener listener;
  private final Clock clock;
  private final Scheduler scheduler;
  private final Sessions sessions;
  private final Renewing renewing;
  private final EndedIds ended;
  private final Map<LeaseId, Place> places = new ConcurrentHashMap<>();

  /**
   * Over a connection, which {@link #close} closes.
   *
   * @param scheduler runs the beats; {@link #close} closes it too
   */
  public SessionLockStore(
      EntryStore store, StoreListener listener, Clock clock, Scheduler scheduler) {
    this.store = store;
    this.listener = listener;
    this.clock = clock;
    this.scheduler = scheduler;
    this.sessions = new Sessions(store, listener, clock, scheduler, this::lapse);
    this.renewing = new Renewing(store.mostTogether(), this::end);
    this.ended = new EndedIds(clock);
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    LeaseId id = ticket.id();
    if (ended.contains(id)) {
      return CompletableFuture.completedFuture(Place.BUSY);
    }
    Place place =
        places.compute(
            id,
            (key, known) -> {
              Place one = known == null ? new Place(ticket, sessions, listener) : known;
              one.begin(clock.nanos());
              return one;
            });
    return place
        .attempt(within)
        .whenComplete(
            (answer, failed) ->
                places.computeIfPresent(
                    id,
                    (key, known) ->
                        known == place && place.isNothingAtEnd() ? left(place) : known));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    Place place = places.get(ticket.id());
    return place == null
        ? CompletableFuture.completedFuture(Watch.ATTEMPT_AGAIN)
        : place.watch(within);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Place> known = new ArrayList<>();
    long now = clock.nanos();
    for (Ticket ticket : tickets) {
      Place place = places.get(ticket.id());
      if (place == null) {
        each.accept(ticket.id(), new Renewal.Gone());
      } else {
        place.heard = now;
        known.add(place);
      }
    }
    renewing.renew(known, now, within, each);
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    ended.add(ticket.id());
    Place place = places.get(ticket.id());
    return place == null ? CompletableFuture.completedFuture(true) : takeBack(place, within);
  }

  /** Final: no request that is still on its way makes the entry again. */
  private CompletionStage<Boolean> takeBack(Place place, Duration within) {
    return place
        .takeBack(within)
        .thenApply(
            wasThere -> {
              forget(place);
              return true;
            });
  }

  /** As with a store whose leases end by themselves. */
  private void lapse(Place place) {
    if (place.lapses(clock.nanos())) {
      ended.add(place.ticket.id());
      takeBack(place, place.ticket.ttl());
    }
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    Place place = places.get(ticket.id());
    if (place == null || !place.isGranted()) {
      return CompletableFuture.completedFuture(Release.NOT_HELD);
    }
    return place
        .release(within)
        .thenApply(
            left -> {
              end(place);
              return left ? Release.RELEASED : Release.NOT_HELD;
            });
  }

  /**
   * It has no lease any more, and gets none. An entry whose removal was not answered stays known:
   * it lapses again.
   */
  private void end(Place place) {
    place.end();
    ended.add(place.ticket.id());
    if (place.isGone()) {
      forget(place);
    }
  }

  private void forget(Place place) {
    place.forget();
    places.remove(place.ticket.id(), place);
  }

  private static @Nullable Place left(Place place) {
    place.forget();
    return null;
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(new EntryOperator(store));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return store.diagnose(within);
  }

  @Override
  public void close() {
    sessions.close();
    store.close();
    scheduler.close();
  }
}
