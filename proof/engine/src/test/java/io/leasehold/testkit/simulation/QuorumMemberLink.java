package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.InMemoryStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** A client's way to one member of a quorum: requests and replies are late, lost, and overtaken. */
final class QuorumMemberLink implements LockStore {
  private final QuorumSimulation world;
  private final QuorumSimulation.Member member;
  private final InMemoryStore server;
  private final Dice dice;

  QuorumMemberLink(QuorumSimulation world, QuorumSimulation.Member member, Dice dice) {
    this.world = world;
    this.member = member;
    this.server = member.server.connect(new DeafListener());
    this.dice = dice;
  }

  @Override
  public Traits traits() {
    return server.traits();
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return send(() -> server.attempt(ticket, within), within);
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return send(() -> server.withdraw(ticket, within), within);
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return send(() -> server.release(ticket, within), within);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    Supplier<CompletionStage<Map<LeaseId, Renewal>>> batch =
        () -> {
          Map<LeaseId, Renewal> answers = new HashMap<>();
          server.renew(tickets, within, answers::put);
          return CompletableFuture.completedStage(answers);
        };
    send(batch, within)
        .whenComplete(
            (answers, failed) ->
                tickets.forEach(
                    ticket ->
                        each.accept(
                            ticket.id(),
                            failed == null
                                ? answers.get(ticket.id())
                                : new Renewal.Unknown(failed))));
  }

  /** A request that is answered once, at the latest when its time is over. */
  private <T> CompletableFuture<T> send(Supplier<CompletionStage<T>> request, Duration within) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (member.isDown) {
      answer.completeExceptionally(new StoreException(Failure.UNAVAILABLE, "it is down", null));
      return answer;
    }
    world.time.in(within.toNanos(), () -> answer.completeExceptionally(silent()));
    if (dice.chance(member.loss)) {
      return answer;
    }
    world.time.in(
        delay(),
        () -> {
          if (member.isDown) {
            return;
          }
          T value = request.get().toCompletableFuture().join();
          if (!dice.chance(member.loss)) {
            world.time.in(delay(), () -> answer.complete(value));
          }
        });
    return answer;
  }

  private long delay() {
    return dice.spread(50_000, dice.chance(0.05) ? Plan.SECOND : 5_000_000);
  }

  private static StoreException silent() {
    return new StoreException(Failure.UNKNOWN_OUTCOME, "it has not answered", null);
  }

  @Override
  public void close() {
    // What is under way may still arrive.
  }
}
