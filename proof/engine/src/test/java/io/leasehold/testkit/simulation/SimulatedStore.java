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
import io.leasehold.spi.support.GrantMessages.Moment;
import io.leasehold.spi.support.GrantMessages.Word;
import io.leasehold.testkit.InMemoryStore;
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
import java.util.concurrent.atomic.AtomicReference;
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
    Moment sent = link.messages.now();
    AtomicReference<Word> word = new AtomicReference<>();
    return link.call(
            "attempt",
            ticket,
            within,
            s -> {
              CompletionStage<Attempt> answer = s.attempt(ticket, within);
              word.set(word(s, ticket, sent));
              return answer;
            })
        .whenComplete(
            (answer, failed) -> {
              if (answer instanceof Attempt.Queued) {
                link.messages.queued(ticket.id(), word.get());
              } else if (failed == null) {
                link.messages.forget(ticket.id());
              }
            });
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    Moment sent = link.messages.now();
    Map<LeaseId, Word> words = new HashMap<>();
    return link.attempt(
            tickets,
            within,
            s -> {
              CompletionStage<List<Attempt>> answers = s.attempt(tickets, within);
              tickets.forEach(ticket -> words.put(ticket.id(), word(s, ticket, sent)));
              return answers;
            })
        .whenComplete(
            (answers, failed) -> {
              for (int i = 0; failed == null && i < tickets.size(); i++) {
                LeaseId id = tickets.get(i).id();
                if (answers.get(i) instanceof Attempt.Queued) {
                  link.messages.queued(id, words.get(id));
                } else {
                  link.messages.forget(id);
                }
              }
            });
  }

  /** What an answer that the ticket waits says of later grants. At the server. */
  private static Word word(InMemoryStore server, Ticket ticket, Moment sent) {
    return new Word(sent, server.lastNumber(ticket), server.unconfirmedLife(ticket));
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    link.messages.forget(ticket.id());
    return link.call("withdraw", ticket, within, s -> s.withdraw(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    link.messages.forget(ticket.id());
    return link.call("release", ticket, within, s -> s.release(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    link.messages.forget(ticket.id());
    served.forEach(link.messages::forget);
    return link.call("release", ticket, within, s -> s.release(ticket, served, within));
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
    Moment sent = link.messages.now();
    tickets.forEach(t -> link.sent("renew", t));
    Map<LeaseId, Long> told = new HashMap<>();
    tickets.forEach(t -> told.put(t.id(), link.messages.told(t.id())));
    Map<LeaseId, Word> words = new HashMap<>();
    CompletableFuture<Map<LeaseId, Renewal>> answers =
        link.send(
            within,
            s -> {
              Map<LeaseId, Renewal> all = new LinkedHashMap<>();
              for (Ticket ticket : tickets) {
                all.put(ticket.id(), s.renew(ticket, told.get(ticket.id())));
                words.put(ticket.id(), word(s, ticket, sent));
              }
              return CompletableFuture.completedStage(all);
            });
    answers.whenComplete(
        (all, failure) -> {
          for (Ticket ticket : tickets) {
            Renewal answer = failure != null ? new Renewal.Unknown(failure) : all.get(ticket.id());
            if (failure == null && link.losesOne()) {
              answer = new Renewal.Unknown(Link.unknown());
            }
            if (answer instanceof Renewal.Waiting) {
              link.messages.waits(ticket.id(), words.get(ticket.id()));
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
