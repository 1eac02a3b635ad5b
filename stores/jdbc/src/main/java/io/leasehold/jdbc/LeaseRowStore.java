package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Leases as rows, one for each name. Blocking and thread-safe. */
final class LeaseRowStore implements LockStore, StoreOperator {
  /** How many releases there are between two sweeps. */
  static final int GRANTS_A_SWEEP = 64;

  /**
   * How many tickets are renewed in one transaction, so that none holds the write lock for long.
   */
  static final int CHUNK = 500;

  private static final long WAITER_LIFE_NANOS = Duration.ofSeconds(5).toNanos();

  private final Traits traits;
  private final Clock clock;
  private final Database database;
  private final Dialect dialect;

  /** How many attempts of an id have begun and not ended. */
  private final Map<LeaseId, Integer> underWay = new ConcurrentHashMap<>();

  /**
   * Starts anywhere, so that the releases of many short-lived processes come to a sweep as well.
   */
  private final AtomicInteger releases =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(GRANTS_A_SWEEP));

  LeaseRowStore(Traits traits, Clock clock, Database database, Dialect dialect) {
    this.traits = traits;
    this.clock = clock;
    this.database = database;
    this.dialect = dialect;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    underWay.merge(ticket.id(), 1, Integer::sum);
    try {
      return stage(
          within,
          limit -> {
            requireExclusive(ticket);
            return database.write(limit, session -> attempt(session, ticket));
          });
    } finally {
      underWay.computeIfPresent(ticket.id(), (id, count) -> count == 1 ? null : count - 1);
    }
  }

  private Attempt attempt(Session session, Ticket ticket) throws SQLException {
    Optional<Dialect.Taken> taken = dialect.take(session, ticket);
    if (taken.isPresent()) {
      if (taken.get().waited()) {
        LeaseRows.leave(session, ticket);
      }
      return new Attempt.Granted(taken.get().number(), ticket.ttl(), taken.get().wanted());
    }
    LeaseRows.Current current = LeaseRows.current(session, ticket);
    boolean own = current.leaseId().equals(ticket.id().toString());
    if (own && current.isLive()) {
      return new Attempt.Granted(
          current.number(), Duration.ofNanos(current.remaining()), current.wanted());
    }
    if (own) {
      // Its lease has ended: the id is used up and is never granted again.
      return new Attempt.Busy(Duration.ZERO, "");
    }
    if (ticket.intent() == Ticket.Intent.QUEUE) {
      dialect.join(session, ticket, waiterLife(ticket));
    }
    return new Attempt.Busy(Duration.ofNanos(current.remaining()), current.holder());
  }

  private static long waiterLife(Ticket ticket) {
    return Math.min(WAITER_LIFE_NANOS, ticket.ttl().toNanos());
  }

  private static void requireExclusive(Ticket ticket) {
    if (ticket.mode() != LockMode.EXCLUSIVE) {
      throw new StoreException(
          Failure.REFUSED,
          "this store has only exclusive locks so far, but lock "
              + ticket.name()
              + " was asked for as "
              + ticket.mode(),
          null);
    }
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return stage(
        within,
        limit -> {
          // Asked before: an attempt that ends meanwhile may have been granted before or after the
          // rows were removed.
          boolean allEnded = !underWay.containsKey(ticket.id());
          database.write(
              limit,
              session -> {
                LeaseRows.leave(session, ticket);
                return LeaseRows.free(session, ticket);
              });
          return allEnded;
        });
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return stage(
        within,
        limit -> {
          boolean freed = database.write(limit, session -> LeaseRows.free(session, ticket));
          if (freed && releases.incrementAndGet() % GRANTS_A_SWEEP == 0) {
            sweep();
          }
          return freed ? Release.RELEASED : Release.NOT_HELD;
        });
  }

  /**
   * Removes rows that are no longer used, if nobody else is writing. It can wait until the next
   * time.
   */
  void sweep() {
    try (Limit limit = new Limit(clock, Duration.ZERO)) {
      database.write(
          limit,
          session -> {
            LeaseRows.sweep(session);
            return true;
          });
    } catch (StoreException e) {
      System.getLogger(LeaseRowStore.class.getName())
          .log(System.Logger.Level.DEBUG, "not swept", e);
    }
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> all = List.copyOf(tickets);
    try (Limit limit = new Limit(clock, within)) {
      for (int from = 0; from < all.size(); from += CHUNK) {
        List<Ticket> chunk = all.subList(from, Math.min(all.size(), from + CHUNK));
        Map<LeaseId, Renewal> answers = new LinkedHashMap<>();
        try {
          renew(limit, chunk, answers);
        } catch (StoreException e) {
          chunk.forEach(ticket -> answers.putIfAbsent(ticket.id(), new Renewal.Unknown(e)));
        }
        answers.forEach(each);
      }
    }
  }

  private void renew(Limit limit, List<Ticket> chunk, Map<LeaseId, Renewal> answers) {
    List<Ticket> held = new ArrayList<>();
    List<Ticket> mayWait = new ArrayList<>();
    chunk.forEach(ticket -> (ticket.intent() == Ticket.Intent.QUEUE ? mayWait : held).add(ticket));
    List<Ticket> lapsing = mayWait.isEmpty() ? List.of() : look(limit, mayWait, held, answers);
    if (held.isEmpty() && lapsing.isEmpty()) {
      return;
    }
    Map<Ticket, Long> lives = new HashMap<>();
    lapsing.forEach(ticket -> lives.put(ticket, waiterLife(ticket)));
    Map<String, Boolean> wanted =
        database.write(
            limit,
            session -> {
              if (!lives.isEmpty()) {
                dialect.stay(session, lives);
              }
              return held.isEmpty() ? Map.of() : dialect.renew(session, held);
            });
    for (Ticket ticket : held) {
      Boolean isWanted = wanted.get(ticket.id().toString());
      answers.put(
          ticket.id(),
          isWanted == null ? new Renewal.Gone() : new Renewal.Renewed(ticket.ttl(), isWanted));
    }
    lapsing.forEach(ticket -> answers.put(ticket.id(), new Renewal.Waiting()));
  }

  /**
   * Asks, without the write lock, which of the tickets hold and which wait.
   *
   * @param held takes those that hold
   * @return those that wait and whose waiter rows must be renewed before they are told so
   */
  private List<Ticket> look(
      Limit limit, List<Ticket> tickets, List<Ticket> held, Map<LeaseId, Renewal> answers) {
    Map<String, LeaseRows.State> states =
        database.read(limit, session -> dialect.look(session, tickets));
    List<Ticket> lapsing = new ArrayList<>();
    for (Ticket ticket : tickets) {
      LeaseRows.State state = states.get(ticket.id().toString());
      if (state == null || (state.last() ? !state.live() : !state.waits())) {
        answers.put(ticket.id(), new Renewal.Gone());
      } else if (state.last()) {
        held.add(ticket);
      } else if (!state.live()) {
        // The attempt that follows renews its row.
        answers.put(ticket.id(), new Renewal.AttemptNow());
      } else if (state.waitsFor() < waiterLife(ticket) / 2) {
        lapsing.add(ticket);
      } else {
        answers.put(ticket.id(), new Renewal.Waiting());
      }
    }
    return lapsing;
  }

  @Override
  public CompletionStage<Void> watch(Ticket ticket, Duration within) {
    return CompletableFuture.completedStage(null);
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return stage(within, limit -> database.read(limit, session -> LeaseRows.list(session, name)));
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return stage(
        within,
        limit -> database.write(limit, session -> LeaseRows.breakLease(session, name, number)));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return CompletableFuture.completedStage(List.of());
  }

  @Override
  public void close() {
    database.close();
  }

  private <T> CompletionStage<T> stage(Duration within, Function<Limit, T> verb) {
    try (Limit limit = new Limit(clock, within)) {
      return CompletableFuture.completedStage(verb.apply(limit));
    } catch (StoreException e) {
      return CompletableFuture.failedStage(e);
    }
  }
}
