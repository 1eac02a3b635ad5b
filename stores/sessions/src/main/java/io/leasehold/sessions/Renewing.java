package io.leasehold.sessions;

import io.leasehold.sessions.Place.Standing;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Renews leases and asks about waiting ones: a beat for each session, and each name read once. */
final class Renewing {
  /** An acquisition, and its entry when it was asked about. */
  private record Asked(Place place, Standing standing) {
    boolean isHeld() {
      return place.isGranted();
    }
  }

  private final int mostTogether;
  private final Consumer<Place> end;

  /**
   * Passes the acquisitions on that have no lease any more.
   *
   * @param mostTogether how many names it reads in one request
   */
  Renewing(int mostTogether, Consumer<Place> end) {
    this.mostTogether = mostTogether;
    this.end = end;
  }

  void renew(List<Place> places, Duration within, BiConsumer<LeaseId, Renewal> each) {
    Map<OpenSession, Map<String, List<Asked>>> asked = new LinkedHashMap<>();
    for (Place place : places) {
      Standing standing = place.standing();
      if (standing == null) {
        answer(place, place.gone(), each);
      } else {
        asked
            .computeIfAbsent(standing.in(), session -> new LinkedHashMap<>())
            .computeIfAbsent(place.ticket.name(), name -> new ArrayList<>())
            .add(new Asked(place, standing));
      }
    }
    asked.forEach((in, names) -> renew(in, names, within, each));
  }

  private void renew(
      OpenSession in,
      Map<String, List<Asked>> names,
      Duration within,
      BiConsumer<LeaseId, Renewal> each) {
    boolean held = names.values().stream().flatMap(List::stream).anyMatch(Asked::isHeld);
    CompletionStage<Void> beat = held ? in.beatIfDue() : CompletableFuture.completedFuture(null);
    List<String> all = List.copyOf(names.keySet());
    for (int from = 0; from < all.size(); from += mostTogether) {
      List<String> some = all.subList(from, Math.min(from + mostTogether, all.size()));
      CompletionStage<List<Entry>> read = in.session().read(some, within);
      // The read decides. Without the beat less is left
      beat.handle((done, failed) -> true)
          .thenCompose(done -> read)
          .whenComplete(
              (found, failed) -> {
                Map<String, List<Entry>> entries = failed == null ? Entry.byName(found) : Map.of();
                for (String name : some) {
                  for (Asked one : names.getOrDefault(name, List.of())) {
                    List<Entry> named = entries.getOrDefault(name, List.of());
                    answer(one.place, renewed(one, named, failed), each);
                  }
                }
              });
    }
  }

  private static Renewal renewed(Asked one, List<Entry> entries, @Nullable Throwable failed) {
    // What failed because its session has ended says that the entry is gone
    return failed == null || one.standing.in().hasEnded()
        ? one.place.renewed(one.standing, entries)
        : new Renewal.Unknown(failed);
  }

  private void answer(Place place, Renewal answer, BiConsumer<LeaseId, Renewal> each) {
    if (answer instanceof Renewal.Gone) {
      end.accept(place);
    }
    each.accept(place.ticket.id(), answer);
  }
}
