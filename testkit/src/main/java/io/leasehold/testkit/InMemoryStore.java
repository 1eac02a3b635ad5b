package io.leasehold.testkit;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.testkit.InMemorySettings.Feature;
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

/**
 * One client's connection to an {@link InMemoryServer}. Every verb is answered before it returns.
 * Thread-safe.
 */
public final class InMemoryStore implements LockStore, StoreOperator {
  private static final CompletionStage<Release> RELEASED =
      CompletableFuture.completedFuture(Release.RELEASED);

  private final InMemoryServer server;
  private final InMemoryServer.Verb<Attempt> attempt;

  /** The numbers of the grants that this connection told of. */
  private final Map<LeaseId, Long> told = new ConcurrentHashMap<>();

  private volatile boolean closed;

  InMemoryStore(InMemoryServer server) {
    this.server = server;
    this.attempt =
        server.settings().has(Feature.WATCHED_ATTEMPTS)
            ? (table, ticket, now) -> server.watchedAttempt(ticket, this, now)
            : LockTable::attempt;
  }

  @Override
  public Traits traits() {
    return server.settings().traits();
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    forget(ticket.id());
    boolean seen = server.settings().has(Feature.VISIBLE_TRIES);
    return seen && ticket.intent() == Ticket.Intent.TRY
        ? visibleTry(ticket)
        : answer(ticket, attempt);
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    tickets.forEach(ticket -> forget(ticket.id()));
    return answer(
        tickets.get(0),
        (table, first, now) ->
            tickets.stream().map(ticket -> attempt.apply(table, ticket, now)).toList());
  }

  /**
   * Two steps at the server: enters, looks which ticket is before it, and leaves again if one is.
   */
  private CompletionStage<Attempt> visibleTry(Ticket ticket) {
    if (closed) {
      return CompletableFuture.failedFuture(unavailable());
    }
    Attempt first = server.apply(ticket, this, LockTable::attempt);
    if (!(first instanceof Attempt.Busy)) {
      return CompletableFuture.completedFuture(first);
    }
    CompletableFuture<Attempt> answer = new CompletableFuture<>();
    server.later(
        () -> {
          server.apply(ticket, this, LockTable::withdraw);
          answer.complete(first);
        });
    return answer;
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    forget(ticket.id());
    return answer(ticket, LockTable::withdraw);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> asked = List.copyOf(tickets);
    List<Renewal> answers = new ArrayList<>(asked.size());
    for (Ticket ticket : asked) {
      answers.add(renew(ticket, told.getOrDefault(ticket.id(), 0L)));
    }
    for (int i = 0; i < answers.size(); i++) {
      each.accept(asked.get(i).id(), answers.get(i));
    }
  }

  /** As {@link #renew} of one, confirming the grant of this number. */
  public Renewal renew(Ticket ticket, long number) {
    if (closed) {
      return new Renewal.Unknown(unavailable());
    }
    if (number == 0) {
      return server.apply(ticket, this, LockTable::renew);
    }
    return server.apply(
        ticket,
        this,
        (table, asked, now) -> {
          table.confirm(asked, number, now);
          return table.renew(asked, now);
        });
  }

  /** The last fence number that was given. */
  public long lastNumber(Ticket ticket) {
    return server.apply(ticket, this, (table, asked, now) -> table.lastNumber());
  }

  /**
   * How long a grant to this ticket, which waits, would stand if the client did not confirm it: see
   * {@link InMemorySettings.Feature#GRANT_MESSAGES}.
   */
  public Duration unconfirmedLife(Ticket ticket) {
    return server.apply(
        ticket,
        this,
        (table, asked, now) ->
            Duration.ofNanos(table.unconfirmedLife(asked.name(), asked.id(), now)));
  }

  void told(LeaseId id, long number) {
    told.put(id, number);
  }

  private void forget(LeaseId id) {
    if (!told.isEmpty()) {
      told.remove(id);
    }
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    forget(ticket.id());
    if (closed) {
      return CompletableFuture.failedFuture(unavailable());
    }
    Release answer = server.apply(ticket, this, LockTable::release);
    return answer == Release.RELEASED ? RELEASED : CompletableFuture.completedFuture(answer);
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    forget(ticket.id());
    served.forEach(this::forget);
    return answer(ticket, (table, asked, now) -> table.release(asked, served, now));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    if (closed) {
      return CompletableFuture.failedFuture(unavailable());
    }
    return CompletableFuture.completedFuture(server.watch(ticket, this));
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    List<LockSnapshot> all = server.list();
    return CompletableFuture.completedFuture(
        name.map(only -> all.stream().filter(s -> s.name().equals(only)).toList()).orElse(all));
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return CompletableFuture.completedFuture(server.breakLease(name, number));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public void close() {
    closed = true;
    server.disconnect(this);
  }

  private <T> CompletionStage<T> answer(Ticket ticket, InMemoryServer.Verb<T> verb) {
    return closed
        ? CompletableFuture.failedFuture(unavailable())
        : CompletableFuture.completedFuture(server.apply(ticket, this, verb));
  }

  private static StoreException unavailable() {
    return new StoreException(
        StoreException.Failure.UNAVAILABLE,
        "this connection to the in-memory store is closed",
        null);
  }
}
