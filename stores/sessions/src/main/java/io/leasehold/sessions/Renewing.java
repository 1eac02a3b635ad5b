package io.leasehold.sessions;

import io.leasehold.sessions.Place.Read;
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

/**
 * Renews leases and asks about waiting ones: a beat for each session, and each name read once.
 * Where more leases are renewed together than one request can read, their names are not read more
 * often than four times in a ttl: the session keeps the entries, and only a person removes one of
 * them.
 */
final class Renewing {
  private static final int MOST_READS_IN_A_TTL = 4;

  /**
   * An acquisition, and its entry when it was asked about.
   *
   * @param known what was read under its name not long ago; null if that must be read
   */
  private record Asked(Place place, Standing standing, @Nullable Read known) {
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

  void renew(List<Place> places, long now, Duration within, BiConsumer<LeaseId, Renewal> each) {
    Map<OpenSession, Map<String, List<Asked>>> asked = new LinkedHashMap<>();
    boolean spares = places.size() > mostTogether;
    for (Place place : places) {
      Standing standing = place.standing();
      if (standing == null) {
        answer(place, place.gone(), each);
      } else {
        long then = now - standing.in().ttl.toNanos() / MOST_READS_IN_A_TTL;
        asked
            .computeIfAbsent(standing.in(), session -> new LinkedHashMap<>())
            .computeIfAbsent(place.ticket.name(), name -> new ArrayList<>())
            .add(new Asked(place, standing, spares ? place.readSince(standing, then) : null));
      }
    }
    asked.forEach((in, names) -> renew(in, names, now, within, each));
  }

  private void renew(
      OpenSession in,
      Map<String, List<Asked>> names,
      long now,
      Duration within,
      BiConsumer<LeaseId, Renewal> each) {
    boolean held = names.values().stream().flatMap(List::stream).anyMatch(Asked::isHeld);
    CompletionStage<Void> beat = held ? in.beatIfDue() : CompletableFuture.completedFuture(null);
    // Without the beat less is left
    CompletionStage<Boolean> beaten = beat.handle((done, failed) -> true);
    List<String> unread = new ArrayList<>();
    List<Asked> known = new ArrayList<>();
    names.forEach(
        (name, all) -> {
          if (all.stream().allMatch(one -> one.known != null)) {
            known.addAll(all);
          } else {
            unread.add(name);
          }
        });
    beaten.thenRun(() -> known.forEach(one -> answer(one, one.known, null, each)));
    for (int from = 0; from < unread.size(); from += mostTogether) {
      List<String> some = unread.subList(from, Math.min(from + mostTogether, unread.size()));
      CompletionStage<List<Entry>> read = in.session().read(some, within);
      beaten
          .thenCompose(done -> read)
          .whenComplete(
              (found, failed) -> {
                Map<String, List<Entry>> entries = failed == null ? Entry.byName(found) : Map.of();
                for (String name : some) {
                  Read named = new Read(entries.getOrDefault(name, List.of()), now);
                  names
                      .getOrDefault(name, List.of())
                      .forEach(one -> answer(one, named, failed, each));
                }
              });
    }
  }

  private void answer(
      Asked one, @Nullable Read read, @Nullable Throwable failed, BiConsumer<LeaseId, Renewal> to) {
    // What failed because its session has ended says that the entry is gone
    boolean ended = one.standing.in().hasEnded();
    Renewal answer =
        failed == null || ended
            ? one.place.renewed(one.standing, ended || read == null ? Read.NOTHING : read)
            : new Renewal.Unknown(failed);
    answer(one.place, answer, to);
  }

  private void answer(Place place, Renewal answer, BiConsumer<LeaseId, Renewal> each) {
    if (answer instanceof Renewal.Gone) {
      end.accept(place);
    }
    each.accept(place.ticket.id(), answer);
  }
}
