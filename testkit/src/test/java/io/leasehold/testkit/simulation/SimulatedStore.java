package io.leasehold.testkit.simulation;

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
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** What an engine sees of the store: every verb goes over the simulated network. */
final class SimulatedStore implements LockStore {
  private final Link link;
  private final Traits traits;

  SimulatedStore(Link link, Traits traits) {
    this.link = link;
    this.traits = traits;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return link.call("attempt", ticket, within, s -> s.attempt(ticket, within));
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return link.call("withdraw", ticket, within, s -> s.withdraw(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return link.call("release", ticket, within, s -> s.release(ticket, within));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return link.call("watch", ticket, within, s -> s.watch(ticket, within));
  }

  /** One request for all; answers go missing one by one, and come in two parts. */
  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> first = new ArrayList<>();
    List<Ticket> second = new ArrayList<>();
    for (Ticket ticket : tickets) {
      (link.splits() ? second : first).add(ticket);
    }
    part(first, within, each);
    part(second, within, each);
  }

  private void part(List<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    if (tickets.isEmpty()) {
      return;
    }
    long sentAt = link.process.nanos();
    tickets.forEach(t -> link.sent("renew", t));
    CompletableFuture<Map<LeaseId, Renewal>> answers =
        link.send(
            within,
            s -> {
              Map<LeaseId, Renewal> all = new LinkedHashMap<>();
              s.renew(tickets, within, all::put);
              return CompletableFuture.completedStage(all);
            });
    answers.whenComplete(
        (all, failure) -> {
          for (Ticket ticket : tickets) {
            Renewal answer = failure != null ? new Renewal.Unknown(failure) : all.get(ticket.id());
            if (failure == null && link.losesOne()) {
              answer = new Renewal.Unknown(Link.unknown());
            }
            link.answered("renew", ticket, sentAt, answer);
            each.accept(ticket.id(), answer);
          }
        });
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.empty();
  }

  @Override
  public void close() {
    // What is under way may still arrive.
  }
}
