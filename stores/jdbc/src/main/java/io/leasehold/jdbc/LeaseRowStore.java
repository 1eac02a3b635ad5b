package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Leases as rows. Blocking and thread-safe. */
final class LeaseRowStore implements LockStore, StoreOperator {
  /** How many grants there are between two sweeps: not all of them are released. */
  static final int GRANTS_A_SWEEP = 64;

  private final Traits traits;
  private final Clock clock;
  private final Verbs verbs;
  private final Wakes wakes;
  private final Optional<Threads> patient;

  /** How many attempts of an id have begun and not ended. */
  private final Map<LeaseId, Integer> underWay = new ConcurrentHashMap<>();

  private final AtomicInteger grants;

  /**
   * A store.
   *
   * @param grants how many grants to count as done since the last sweep
   */
  LeaseRowStore(Traits traits, Clock clock, Verbs verbs, Wakes wakes, int grants) {
    this(traits, clock, verbs, wakes, grants, Optional.empty());
  }

  /**
   * The same.
   *
   * @param patient where that is done for which a caller has too little time
   */
  LeaseRowStore(
      Traits traits, Clock clock, Verbs verbs, Wakes wakes, int grants, Optional<Threads> patient) {
    this.patient = patient;
    this.traits = traits;
    this.clock = clock;
    this.verbs = verbs;
    this.wakes = wakes;
    this.grants = new AtomicInteger(grants);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    underWay.merge(ticket.id(), 1, Integer::sum);
    try {
      return stage(within, limit -> outlasting(ticket, () -> attempt(limit, ticket)));
    } finally {
      underWay.computeIfPresent(ticket.id(), (id, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * Who waits and was answered waits on while the server refuses, which may be a password that is
   * being changed, or a primary that has become a standby.
   */
  private Attempt outlasting(Ticket ticket, Supplier<Attempt> attempt) {
    try {
      return attempt.get();
    } catch (StoreException e) {
      if (e.failure() == Failure.REFUSED && verbs.isWaiting(ticket)) {
        throw new StoreException(Failure.UNAVAILABLE, String.valueOf(e.getMessage()), e);
      }
      throw e;
    }
  }

  private Attempt attempt(Limit limit, Ticket ticket) {
    Attempt answer = verbs.attempt(limit, ticket);
    if (answer instanceof Attempt.Granted) {
      wakes.forget(ticket);
      if (grants.incrementAndGet() % GRANTS_A_SWEEP == 0) {
        sweep();
      }
    }
    return answer;
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    wakes.forget(ticket);
    // Asked before: an attempt that ends meanwhile may have been granted before or after the rows
    // were removed.
    boolean isUnderWay = underWay.containsKey(ticket.id());
    return stage(within, limit -> verbs.withdraw(limit, ticket, isUnderWay));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return stage(
        within,
        limit -> {
          return verbs.free(limit, ticket) ? Release.RELEASED : Release.NOT_HELD;
        });
  }

  /** Removes rows that are no longer used. */
  void sweep() {
    verbs.sweep();
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    try (Limit limit = new Limit(clock, within)) {
      verbs.renew(limit, List.copyOf(tickets), each);
    }
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return stage(within, limit -> wakes.watch(limit, ticket));
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return stage(within, limit -> verbs.list(limit, name));
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return stage(within, limit -> verbs.breakLease(limit, name, number));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return stage(within, verbs::diagnose);
  }

  @Override
  public void close() {
    wakes.close();
    verbs.close();
  }

  private <T> CompletionStage<T> stage(Duration within, Function<Limit, T> verb) {
    try (Limit limit = new Limit(clock, within)) {
      return CompletableFuture.completedFuture(verb.apply(limit));
    } catch (StoreException e) {
      return CompletableFuture.failedFuture(e);
    } catch (Limit.Impatient e) {
      return patiently(within, verb, patient.orElseThrow(() -> e));
    }
  }

  private <T> CompletionStage<T> patiently(
      Duration within, Function<Limit, T> verb, Threads threads) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    // Its time begins now, and not when there is a thread.
    Limit asked = Limit.patient(clock, within);
    threads.request(
        () -> {
          try (Limit limit = asked) {
            answer.complete(verb.apply(limit));
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }
}
