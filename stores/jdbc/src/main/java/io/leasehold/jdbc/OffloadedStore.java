package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Threads;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A store whose connections cannot bound their time, or must not see an interrupt: its verbs run on
 * threads of its own, and who asked waits for as long as it has.
 */
final class OffloadedStore implements LockStore, StoreOperator {
  private final LeaseRowStore store;
  private final Threads threads;
  private final Traits traits;

  OffloadedStore(LeaseRowStore store, Threads threads) {
    this.store = store;
    this.threads = threads;
    Traits blocking = store.traits();
    this.traits =
        new Traits(
            blocking.store(),
            blocking.has(),
            blocking.minTtl(),
            blocking.maxTtl(),
            blocking.ttlStep(),
            blocking.poll(),
            blocking.crashExtra(),
            Traits.Calls.NON_BLOCKING);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return later(() -> store.attempt(ticket, within));
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return later(() -> store.withdraw(ticket, within));
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> copy = List.copyOf(tickets);
    threads.renewal(() -> store.renew(copy, within, each));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return later(() -> store.release(ticket, within));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return later(() -> store.watch(ticket, within));
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return later(() -> store.list(name, within));
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return later(() -> store.breakLease(name, number, within));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return later(() -> store.diagnose(within));
  }

  private <T> CompletionStage<T> later(Supplier<CompletionStage<T>> verb) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    threads.request(
        () -> {
          try {
            answer.complete(verb.get().toCompletableFuture().join());
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  @Override
  public void close() {
    store.close();
    threads.close();
  }
}
