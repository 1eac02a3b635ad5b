package io.leasehold.examples;

import io.leasehold.Trait;
import io.leasehold.examples.MapName.Entry;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** A store in a map of this process: every verb is one atomic step on one name. */
final class MapStore implements LockStore {
  private static final Traits TRAITS =
      new Traits(
          "map",
          Set.of(Trait.FENCING, Trait.LINEARIZABLE),
          Duration.ofMillis(100),
          Duration.ofDays(1),
          Duration.ofMillis(1),
          new Traits.Poll(Duration.ofMillis(2), Duration.ofMillis(100), Traits.Signals.NONE),
          Traits.Life.TTL,
          Traits.Calls.NON_BLOCKING);

  private final ConcurrentMap<String, MapName> names;
  private final LongSupplier nanos;

  MapStore(ConcurrentMap<String, MapName> names, LongSupplier nanos) {
    this.names = names;
    this.nanos = nanos;
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return step(ticket, name -> attempt(name, ticket));
  }

  private static Attempt attempt(MapName name, Ticket ticket) {
    Entry held = name.holders.get(ticket.id());
    if (held != null) { // asked again: the same answer, and not a moment longer
      return new Attempt.Granted(held.number(), name.left(held), name.isWanted(ticket));
    }
    Optional<Ticket> other = name.otherKind(ticket);
    if (other.isPresent()) {
      return new Attempt.OtherKind(other.get().mode(), other.get().limit());
    }
    boolean usedUp = name.ended.containsKey(ticket.id());
    if (!usedUp && name.admits(ticket)) {
      return new Attempt.Granted(name.grant(ticket), ticket.ttl(), name.isWanted(ticket));
    }
    if (!usedUp && ticket.intent() == Ticket.Intent.QUEUE) {
      name.waiters.put(ticket.id(), name.entry(ticket, 0)); // keeps its place if it has one
    }
    return new Attempt.Busy(Duration.ZERO, name.holder());
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    // An attempt that comes after this finds that its id is used up: that is final.
    return step(ticket, name -> name.end(ticket)).thenApply(held -> true);
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return step(ticket, name -> name.end(ticket) ? Release.RELEASED : Release.NOT_HELD);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    for (Ticket ticket : tickets) {
      step(ticket, name -> renew(name, ticket)).thenAccept(a -> each.accept(ticket.id(), a));
    }
  }

  private static Renewal renew(MapName name, Ticket ticket) {
    Entry held = name.holders.get(ticket.id());
    if (held != null) {
      name.holders.put(ticket.id(), name.entry(ticket, held.number()));
      return new Renewal.Renewed(ticket.ttl(), name.isWanted(ticket));
    }
    if (!name.waiters.containsKey(ticket.id())) {
      return new Renewal.Gone();
    }
    name.waiters.put(ticket.id(), name.entry(ticket, 0));
    return name.admits(ticket) ? new Renewal.AttemptNow() : new Renewal.Waiting();
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return CompletableFuture.completedFuture(Watch.ATTEMPT_AGAIN); // no signals: the engine polls
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.empty();
  }

  @Override
  public void close() {}

  /** One verb: what has expired goes first, then the change, all of it in one atomic step. */
  private <T> CompletionStage<T> step(Ticket ticket, Function<MapName, T> change) {
    AtomicReference<T> answer = new AtomicReference<>();
    names.compute(
        ticket.name(),
        (key, known) -> {
          MapName name = known == null ? new MapName() : known;
          name.expire(nanos.getAsLong());
          answer.set(change.apply(name));
          return name;
        });
    return CompletableFuture.completedFuture(answer.get());
  }
}
