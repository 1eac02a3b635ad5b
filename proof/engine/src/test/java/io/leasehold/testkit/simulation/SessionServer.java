package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Session.Watcher;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A server that keeps entries of sessions, in virtual time. It may stand still. */
final class SessionServer {
  private final Timeline time;
  private final Dice dice;
  private final List<Held> entries = new ArrayList<>();
  private final List<Watched> watched = new ArrayList<>();
  private long number;
  private long standsUntil;

  /** What people have ended: its holder may not know it yet. */
  final Set<LeaseId> revoked = new HashSet<>();

  private record Held(Entry entry, Served session) {}

  /** A client hears of the first change of an entry. */
  private record Watched(Entry entry, SessionLink link, Watcher watcher) {}

  SessionServer(Timeline time, Dice dice) {
    this.time = time;
    this.dice = dice;
  }

  /** Does nothing for so long. */
  void standStill(long nanos) {
    standsUntil = time.now() + nanos;
  }

  /** Now, or when it goes on, in the order of arrival. */
  void run(Runnable work) {
    long left = standsUntil - time.now();
    if (left > 0) {
      time.in(left, () -> run(work));
    } else {
      work.run();
    }
  }

  /** A session, as the server knows it. */
  final class Served {
    private final SessionLink link;
    private final long ttl;
    private final Runnable ended;
    private final Set<LeaseId> takenBack = new HashSet<>();
    private long heard;
    private boolean over;

    private Served(SessionLink link, Duration ttl, Runnable ended) {
      this.link = link;
      this.ttl = ttl.toNanos();
      this.ended = ended;
    }

    /** Prolongs it, unless it has ended. */
    void beat() {
      requireAlive();
      heard = time.now();
    }

    /** Ends it once it is silent for its ttl; it may take its time. */
    private void expireLater() {
      long least = heard + ttl - time.now();
      long late = dice.chance(0.5) ? 1 : dice.between(1, ttl);
      time.in(least + late, () -> run(this::expireIfSilent));
    }

    private void expireIfSilent() {
      if (!over && time.now() - heard >= ttl) {
        end();
        link.report(ended);
      } else if (!over) {
        expireLater();
      }
    }

    boolean isOver() {
      return over;
    }

    void requireAlive() {
      if (over) {
        throw new StoreException(Failure.UNAVAILABLE, "the session has ended", null);
      }
    }

    /** Ends it with its entries. */
    void end() {
      over = true;
      removeIf(held -> held.session == this);
    }

    /** As a person may. */
    void revoke() {
      entries.stream().filter(held -> held.session == this).forEach(SessionServer.this::revoked);
      end();
      link.report(ended);
    }

    /** Makes the entry of a ticket unless it is there. */
    Entry enter(Ticket ticket, String key) {
      requireAlive();
      if (takenBack.contains(ticket.id())) {
        throw new StoreException(Failure.UNAVAILABLE, "it was taken back", null);
      }
      return entries.stream()
          .filter(held -> held.session == this && held.entry.id().equals(ticket.id()))
          .map(Held::entry)
          .findAny()
          .orElseGet(() -> make(ticket, key));
    }

    private Entry make(Ticket ticket, String key) {
      if (entries.stream().anyMatch(held -> held.entry.key().equals(key))) {
        throw new IllegalStateException("two entries have the key " + key);
      }
      Entry made = Entry.of(ticket, key, ++number);
      entries.add(new Held(made, this));
      return made;
    }

    boolean leave(Entry own) {
      requireAlive();
      return removeIf(held -> held.session == this && isSame(held.entry, own));
    }

    boolean takeBack(Ticket ticket) {
      requireAlive();
      takenBack.add(ticket.id());
      return removeIf(held -> held.session == this && held.entry.id().equals(ticket.id()));
    }

    void touch(Entry own) {
      requireAlive();
      find(own).ifPresent(entry -> fire(entry, false));
    }
  }

  Served open(SessionLink link, Duration ttl, Runnable ended) {
    Served made = new Served(link, ttl, ended);
    made.heard = time.now();
    made.expireLater();
    return made;
  }

  List<Entry> list(Predicate<String> name) {
    return entries.stream().map(Held::entry).filter(entry -> name.test(entry.name())).toList();
  }

  /** Watches an entry if it is there. */
  Optional<Entry.Details> look(Entry other, SessionLink link, Watcher watcher) {
    Optional<Entry> found = find(other);
    if (watcher != null) {
      found.ifPresent(entry -> watched.add(new Watched(entry, link, watcher)));
    }
    return found.map(Entry::details);
  }

  /** A list may not have the number; then no key is used twice. */
  private static boolean isSame(Entry entry, Entry asked) {
    return entry.key().equals(asked.key())
        && (asked.number() == 0 || asked.number() == entry.number());
  }

  private Optional<Entry> find(Entry asked) {
    return entries.stream().map(Held::entry).filter(entry -> isSame(entry, asked)).findAny();
  }

  private boolean removeIf(Predicate<Held> which) {
    List<Held> gone = entries.stream().filter(which).toList();
    entries.removeAll(gone);
    gone.forEach(held -> fire(held.entry, true));
    return !gone.isEmpty();
  }

  private void fire(Entry entry, boolean isGone) {
    for (Watched each : List.copyOf(watched)) {
      if (each.entry.equals(entry)) {
        watched.remove(each);
        each.link.report(() -> each.watcher.changed(isGone));
      }
    }
  }

  /**
   * The connection of a client broke: its watches end, and each of them may have missed something.
   */
  void endWatches(SessionLink link) {
    for (Watched each : List.copyOf(watched)) {
      if (each.link == link) {
        watched.remove(each);
        link.report(() -> each.watcher.changed(false));
      }
    }
  }

  private void revoked(Held held) {
    revoked.add(held.entry.id());
  }

  /** A person removes the first entry of a name, or all of them. */
  void breakLock(String name) {
    boolean all = dice.chance(0.2);
    List<Held> named = entries.stream().filter(h -> h.entry.name().equals(name)).toList();
    List<Held> gone = named.subList(0, all ? named.size() : Math.min(1, named.size()));
    gone.forEach(this::revoked);
    removeIf(gone::contains);
  }
}
