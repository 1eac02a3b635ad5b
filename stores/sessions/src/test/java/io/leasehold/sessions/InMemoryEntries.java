package io.leasehold.sessions;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that keeps entries of sessions in memory. Sessions end by a clock; every answer comes on
 * a thread of the server's.
 */
final class InMemoryEntries {
  private final Clock clock;
  private final Threads threads = new Threads();
  private final List<Held> entries = new ArrayList<>();
  private final List<Watched> watchers = new ArrayList<>();
  private final Set<OfClient> sessions = new HashSet<>();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<Void>> holds = new ConcurrentHashMap<>();
  private long number;
  private @Nullable CompletableFuture<Void> opens;
  private int refusals;
  private int lostRemovals;
  private boolean delays;
  private Runnable late = () -> {};
  private boolean expires = true;
  private boolean beats = true;

  private record Held(Entry entry, OfClient session, long since) {
    /** As a list has it. */
    Entry listed() {
      return entry.with(0, Details.NONE);
    }
  }

  private record Watched(String key, Session.Watcher watcher) {}

  InMemoryEntries(Clock clock) {
    this.clock = clock;
  }

  SessionLockStore open(StoreListener listener) {
    return new SessionLockStore(new Connection(), listener, clock, new Threads());
  }

  void close() {
    threads.close();
  }

  /** How many requests of this kind there were. */
  int count(String request) {
    AtomicInteger count = counts.get(request);
    return count == null ? 0 : count.get();
  }

  /** All requests so far. */
  int requests() {
    return counts.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  /** From now on sessions are opened when this completes. */
  void holdOpens(CompletableFuture<Void> until) {
    opens = until;
  }

  /** From now on requests of this kind take effect at once and are answered when this completes. */
  void hold(String request, CompletableFuture<Void> until) {
    holds.put(request, until);
  }

  /** The next so many requests to make an entry take no effect. */
  void refuseEntries(int some) {
    refusals = some;
  }

  /** The next so many requests to remove an entry are lost. */
  void loseRemovals(int some) {
    lostRemovals = some;
  }

  /** The next request to make an entry takes effect at {@link #arrive} only. */
  synchronized void delayEntry() {
    delays = true;
  }

  /** The request that was late takes effect now, unless it may not. */
  synchronized void arrive() {
    late.run();
  }

  /** As if the clients had been silent for the ttl. */
  synchronized void endSessions() {
    List.copyOf(sessions).forEach(OfClient::expire);
  }

  /** Removes the entries of a name, as a person may. */
  synchronized void remove(String name) {
    removeIf(held -> held.entry.name().equals(name));
  }

  synchronized List<String> keys(String name) {
    return named(name).stream().map(held -> held.entry.key()).toList();
  }

  private List<Held> named(String name) {
    return entries.stream().filter(held -> held.entry.name().equals(name)).toList();
  }

  private List<Entry> listed(String name) {
    return named(name).stream().map(Held::listed).toList();
  }

  /** An entry of another client, before all others. */
  synchronized void insertFirst(Ticket ticket) {
    OfClient other = new OfClient(ticket.ttl(), () -> {});
    sessions.add(other);
    other.make(ticket);
    entries.add(0, entries.remove(entries.size() - 1));
  }

  /** From now on no session is prolonged. */
  synchronized void refuseBeats() {
    beats = false;
  }

  /** As if the server's clock were slower than the client's. */
  synchronized void pauseExpiry() {
    expires = false;
  }

  private void expire() {
    if (!expires) {
      return;
    }
    List.copyOf(sessions).stream()
        .filter(session -> session.life.left().isNegative())
        .forEach(OfClient::expire);
  }

  private boolean removeIf(Predicate<Held> which) {
    List<Held> gone = entries.stream().filter(which).toList();
    entries.removeAll(gone);
    gone.forEach(held -> fire(held.entry.key(), true));
    return !gone.isEmpty();
  }

  private void fire(String key, boolean isGone) {
    for (Iterator<Watched> i = watchers.iterator(); i.hasNext(); ) {
      Watched each = i.next();
      if (each.key.equals(key)) {
        i.remove();
        threads.callback(() -> each.watcher.changed(isGone));
      }
    }
  }

  private Optional<Details> details(String key) {
    return entries.stream()
        .filter(held -> held.entry.key().equals(key))
        .map(
            held ->
                new Details(
                    held.entry.details().holder(),
                    Duration.ofNanos(clock.nanos() - held.since),
                    held.session.life.left()))
        .findAny();
  }

  /** Runs a request, and answers it from another thread. */
  private <T> CompletionStage<T> answer(String request, Supplier<T> work) {
    return answer(request, work, () -> {});
  }

  private <T> CompletionStage<T> answer(String request, Supplier<T> work, Runnable ended) {
    counts.computeIfAbsent(request, key -> new AtomicInteger()).incrementAndGet();
    CompletableFuture<T> answer = new CompletableFuture<>();
    T value;
    try {
      synchronized (this) {
        expire();
        value = work.get();
      }
    } catch (StoreException e) {
      threads.callback(
          () -> {
            ended.run();
            answer.completeExceptionally(e);
          });
      return answer;
    }
    CompletableFuture<Void> held = holds.get(request);
    if (held == null) {
      threads.callback(() -> answer.complete(value));
    } else {
      held.thenRun(() -> answer.complete(value));
    }
    return answer;
  }

  /** One client's. */
  private final class Connection implements EntryStore {
    private final List<OfClient> own = new ArrayList<>();

    @Override
    public Traits traits() {
      return EntryStore.traits(
          "entries",
          EnumSet.allOf(LockMode.class),
          new Limits(
              Duration.ofMillis(10),
              Duration.ofDays(1),
              Duration.ofMillis(1),
              60,
              ttl -> Duration.ZERO));
    }

    @Override
    public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
      CompletableFuture<Void> held = opens;
      return held == null ? openNow(ttl, ended) : held.thenCompose(released -> openNow(ttl, ended));
    }

    private CompletionStage<Session> openNow(Duration ttl, Runnable ended) {
      return answer(
          "open",
          () -> {
            OfClient one = new OfClient(ttl, ended);
            sessions.add(one);
            own.add(one);
            return one;
          });
    }

    @Override
    public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
      return answer(
          "list",
          () ->
              entries.stream()
                  .map(Held::entry)
                  .filter(entry -> name.isEmpty() || name.get().equals(entry.name()))
                  .map(entry -> entry.with(entry.number(), details(entry.key()).orElseThrow()))
                  .toList());
    }

    @Override
    public CompletionStage<Boolean> remove(Entry entry, Duration within) {
      return answer("remove", () -> removeIf(held -> held.entry.key().equals(entry.key())));
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration within) {
      return answer("diagnose", List::of);
    }

    @Override
    public void close() {
      synchronized (InMemoryEntries.this) {
        own.forEach(OfClient::drop);
      }
    }
  }

  private final class OfClient implements Session {
    private final Duration ttl;
    private final Runnable ended;
    private final SessionLife life;
    private final Set<LeaseId> takenBack = new HashSet<>();

    OfClient(Duration ttl, Runnable ended) {
      this.ttl = ttl;
      this.ended = ended;
      this.life = new SessionLife(clock, ttl, Duration.ZERO);
    }

    private void drop() {
      sessions.remove(this);
      removeIf(held -> held.session == this);
    }

    private void expire() {
      drop();
      threads.callback(ended);
    }

    private void tellIfEnded() {
      synchronized (InMemoryEntries.this) {
        if (sessions.contains(this)) {
          return;
        }
      }
      ended.run();
    }

    private void requireAlive() {
      if (!sessions.contains(this)) {
        throw new StoreException(Failure.UNAVAILABLE, "the session has ended", null);
      }
    }

    @Override
    public CompletionStage<Entered> enter(Ticket ticket, Duration within) {
      return answer(
          "enter",
          () -> {
            requireAlive();
            if (refusals > 0) {
              refusals--;
              throw new StoreException(Failure.UNAVAILABLE, "not now", null);
            }
            if (delays) {
              delays = false;
              late = () -> enterNow(ticket);
              throw new StoreException(Failure.UNKNOWN_OUTCOME, "no answer", null);
            }
            return enterNow(ticket)
                .map(own -> new Entered(own, listed(ticket.name())))
                .orElseThrow(
                    () -> new StoreException(Failure.UNAVAILABLE, "it was taken back", null));
          },
          this::tellIfEnded);
    }

    /** Empty if it was taken back. */
    private Optional<Entry> enterNow(Ticket ticket) {
      if (takenBack.contains(ticket.id())) {
        return Optional.empty();
      }
      return named(ticket.name()).stream()
          .map(Held::entry)
          .filter(entry -> entry.id().equals(ticket.id()))
          .findAny()
          .or(() -> Optional.of(make(ticket)));
    }

    private Entry make(Ticket ticket) {
      number++;
      Entry made =
          Entry.of(
              ticket.name(),
              ticket.name() + "/" + Entry.label(ticket) + "-" + number,
              Entry.label(ticket),
              number,
              new Details(ticket.holder(), Duration.ZERO, ttl));
      entries.add(new Held(made, this, clock.nanos()));
      return made;
    }

    @Override
    public CompletionStage<Boolean> leave(Entry own, Duration within) {
      return answer(
          "leave",
          () -> {
            requireAlive();
            if (lostRemovals > 0) {
              lostRemovals--;
              throw new StoreException(Failure.UNKNOWN_OUTCOME, "no answer", null);
            }
            return removeIf(held -> held.entry.key().equals(own.key()));
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<Boolean> takeBack(Ticket ticket, Duration within) {
      return answer(
          "takeBack",
          () -> {
            requireAlive();
            takenBack.add(ticket.id());
            return removeIf(held -> held.entry.id().equals(ticket.id()));
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<List<Entry>> read(List<String> names, Duration within) {
      return answer(
          "read",
          () -> {
            requireAlive();
            return names.stream().flatMap(name -> listed(name).stream()).toList();
          },
          this::tellIfEnded);
    }

    @Override
    public CompletionStage<Optional<Details>> look(
        Entry other, Session.@Nullable Watcher watcher, Duration within) {
      return answer(
          watcher == null ? "look" : "watch",
          () -> {
            Optional<Details> found = details(other.key());
            if (watcher != null && found.isPresent()) {
              watchers.add(new Watched(other.key(), watcher));
            }
            return found;
          });
    }

    @Override
    public CompletionStage<Void> touch(Entry own, Duration within) {
      return answer(
          "touch",
          () -> {
            fire(own.key(), false);
            return null;
          });
    }

    @Override
    public CompletionStage<Void> beat(Duration within) {
      return answer(
          "beat",
          () -> {
            requireAlive();
            if (!beats) {
              throw new StoreException(Failure.UNAVAILABLE, "not now", null);
            }
            life.answered(life.now());
            return null;
          },
          this::tellIfEnded);
    }

    @Override
    public SessionLife life() {
      return life;
    }

    @Override
    public CompletionStage<?> end() {
      return answer(
          "end",
          () -> {
            drop();
            return null;
          });
    }
  }
}
