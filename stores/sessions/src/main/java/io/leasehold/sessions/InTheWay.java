package io.leasehold.sessions;

import io.leasehold.LockMode;
import io.leasehold.sessions.Entry.Details;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The entries before one that waits, as far as this client knows, and its watches. Thread-safe. */
final class InTheWay {
  /** Those to watch. */
  private List<Entry> entries = List.of();

  /**
   * The entries of the name when they were last read, without those that are gone since. What was
   * made later is behind the own entry; so no other entry is before it.
   */
  private final List<Entry> known = new ArrayList<>();

  /** The keys of the entries that are watched. */
  private final Set<String> watched = new HashSet<>();

  /**
   * The watches stand.
   *
   * @param again whether the name must be read again
   * @param holder of the last entry, as far as its watch said
   */
  record Armed(boolean again, String holder) {
    private Armed and(Armed other) {
      return new Armed(again || other.again, other.holder);
    }
  }

  /** Nothing is known any more: another entry is made. */
  synchronized void clear() {
    entries = List.of();
    known.clear();
    watched.clear();
  }

  /** The name was read. */
  synchronized void read(List<Entry> all, Admission now) {
    known.clear();
    known.addAll(all);
    entries = now.inTheWay();
  }

  /** An entry has changed, or is not watched after all. */
  synchronized void changed(Entry entry, boolean isGone) {
    watched.remove(entry.key());
    for (int i = 0; isGone && i < known.size(); i++) {
      if (known.get(i).isSameAs(entry)) {
        known.remove(i);
        return;
      }
    }
  }

  /** What is known of an entry; null if it was not seen. */
  synchronized @Nullable Admission of(Entry own) {
    int index = Admission.indexOf(known, own.key());
    return index < 0 ? null : Admission.of(known, index);
  }

  private synchronized List<Entry> unwatched() {
    return entries.stream().filter(each -> watched.add(each.key())).toList();
  }

  /**
   * Watches what is not watched.
   *
   * @param changed hears of each change, and whether the entry is certainly gone
   */
  CompletionStage<Armed> arm(Session session, BiConsumer<Entry, Boolean> changed, Duration within) {
    CompletionStage<Armed> all = CompletableFuture.completedFuture(new Armed(false, ""));
    for (Entry each : unwatched()) {
      CompletionStage<Armed> one =
          session
              .look(each, isGone -> changed.accept(each, isGone), within)
              .whenComplete(
                  (found, failed) -> {
                    if (failed != null || found.isEmpty()) {
                      changed(each, false);
                    }
                  })
              .thenApply(
                  found ->
                      // A waiter before this one may have been admitted before it was watched
                      new Armed(
                          found.isEmpty() || each.mode() == LockMode.PERMITS,
                          found.map(Details::holder).orElse("")));
      all = all.thenCombine(one, Armed::and);
    }
    return all;
  }
}
