package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.GrantMessages;
import io.leasehold.spi.support.GrantMessages.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Renews leases and keeps waiting tickets alive. */
final class Renewing {
  /** In one script, during which the server does nothing else: about a millisecond. */
  private static final int MOST_TOGETHER = 500;

  private final Node node;
  private final Keys keys;
  private final SoleLeases sole;
  private final GrantMessages messages;
  private final Clock clock;

  Renewing(Node node, Keys keys, SoleLeases sole, GrantMessages messages, Clock clock) {
    this.node = node;
    this.keys = keys;
    this.sole = sole;
    this.messages = messages;
    this.clock = clock;
  }

  void renew(List<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    long end = clock.nanos() + within.toNanos();
    if (tickets.size() == 1) {
      together(tickets, end, each);
      return;
    }
    Wire wire = node.wire();
    Collection<List<Ticket>> places =
        tickets.stream()
            .collect(Collectors.groupingBy(ticket -> wire.place(keys.of(ticket.name()).state())))
            .values();
    for (List<Ticket> some : places) {
      wire.apart(() -> together(some, end, each));
    }
  }

  /** Those whose keys may be in one request. */
  private void together(List<Ticket> tickets, long end, BiConsumer<LeaseId, Renewal> each) {
    for (int from = 0; from < tickets.size(); from += MOST_TOGETHER) {
      List<Ticket> some = tickets.subList(from, Math.min(from + MOST_TOGETHER, tickets.size()));
      byte[] value = tickets.size() == 1 ? sole.value(tickets.get(0)) : null;
      if (value == null) {
        byScript(some, left(end), each);
      } else {
        alone(some.get(0), value, end, each);
      }
    }
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  /** One command, unless another client came to wait. */
  private void alone(Ticket ticket, byte[] value, long end, BiConsumer<LeaseId, Renewal> each) {
    Command command = node.renewIf(keys.of(ticket.name()).state(), value, ticket.ttl());
    node.compare(command, left(end))
        .whenComplete(
            (reply, failed) -> {
              if (failed != null) {
                each.accept(ticket.id(), new Renewal.Unknown(failed));
              } else if (reply != null) {
                each.accept(ticket.id(), new Renewal.Renewed(ticket.ttl(), false));
              } else {
                byScript(List.of(ticket), left(end), each);
              }
            });
  }

  private void byScript(List<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    Map<String, Integer> names = new HashMap<>();
    List<Keys.OfName> touched = new ArrayList<>();
    List<Integer> indices = new ArrayList<>();
    for (Ticket ticket : tickets) {
      Integer index = names.get(ticket.name());
      if (index == null) {
        touched.add(keys.of(ticket.name()));
        index = touched.size();
        names.put(ticket.name(), index);
      }
      indices.add(index);
    }
    Moment sent = messages.now();
    long end = clock.nanos() + within.toNanos();
    Node.orAlone(
            node.run(
                Script.RENEW,
                tickets.get(0).name(),
                inOrder(touched),
                asked(tickets, indices),
                within),
            () -> eachAlone(tickets, end))
        .whenComplete((reply, failed) -> answer(tickets, sent, reply, failed, each));
  }

  /** As renew.lua has them. */
  private static List<byte[]> inOrder(List<Keys.OfName> touched) {
    List<byte[]> all = new ArrayList<>(4 * touched.size());
    touched.forEach(each -> all.add(each.state()));
    touched.forEach(each -> all.add(each.counter()));
    touched.forEach(each -> all.add(each.order()));
    touched.forEach(each -> all.add(each.waiters()));
    return all;
  }

  private List<byte[]> asked(List<Ticket> tickets, List<Integer> indices) {
    List<byte[]> asked = new ArrayList<>(4 * tickets.size());
    for (int i = 0; i < tickets.size(); i++) {
      asked.add(Command.digits(indices.get(i)));
      asked.add(Asked.id(tickets.get(i).id()));
      asked.add(Asked.ttl(tickets.get(i)));
    }
    for (Ticket ticket : tickets) {
      asked.add(Command.digits(messages.told(ticket.id())));
    }
    return asked;
  }

  /** In a request each, with one key. Answers as all together would. */
  private CompletionStage<@Nullable Object> eachAlone(List<Ticket> tickets, long end) {
    CompletionStage<List<Object>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (Ticket ticket : tickets) {
      List<byte[]> state = List.of(keys.of(ticket.name()).state());
      all =
          all.thenCompose(
              answers ->
                  node.run(
                          Script.RENEW,
                          ticket.name(),
                          state,
                          asked(List.of(ticket), List.of(1)),
                          left(end))
                      .thenApply(
                          reply -> {
                            answers.addAll(Replies.list(reply));
                            return answers;
                          }));
    }
    return all.thenApply(answers -> answers);
  }

  private void answer(
      List<Ticket> tickets,
      Moment sent,
      @Nullable Object reply,
      @Nullable Throwable failed,
      BiConsumer<LeaseId, Renewal> each) {
    for (int i = 0; i < tickets.size(); i++) {
      Ticket ticket = tickets.get(i);
      Renewal renewal =
          failed == null ? Replies.renewal(Replies.list(reply), i) : new Renewal.Unknown(failed);
      if (renewal instanceof Renewal.Renewed renewed) {
        messages.forget(ticket.id());
        if (renewed.wanted()) {
          sole.remove(ticket.id());
        }
      } else if (renewal instanceof Renewal.Waiting) {
        messages.waits(ticket.id(), RedisStore.word(ticket, sent, Replies.mark(reply, i)));
      }
      each.accept(ticket.id(), renewal);
    }
  }
}
