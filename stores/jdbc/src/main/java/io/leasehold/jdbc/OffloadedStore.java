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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A store whose connections cannot bound their time, or must not see an interrupt: its verbs run on
 * threads of its own, and who asked waits for as long as it has.
 */
final class OffloadedStore implements LockStore, StoreOperator {
  private final LeaseRowStore store;
  private final Clock clock;
  private final Threads threads;
  private final Traits traits;

  OffloadedStore(LeaseRowStore store, Clock clock, Threads threads) {
    this.store = store;
    this.clock = clock;
    this.threads = threads;
    Traits blocking = store.traits();
    this.traits = blocking.with(Traits.Calls.NON_BLOCKING);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return later(within, left -> store.attempt(ticket, left));
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return later(within, left -> store.withdraw(ticket, left));
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> copy = List.copyOf(tickets);
    long end = end(within);
    threads.renewal(() -> store.renew(copy, left(end), each));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return later(within, left -> store.release(ticket, left));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return later(within, left -> store.watch(ticket, left));
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(this);
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return later(within, left -> store.list(name, left));
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return later(within, left -> store.breakLease(name, number, left));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return later(within, left -> store.diagnose(left));
  }

  /**
   * The time begins when it is asked for: what has waited for a thread until it was over is not
   * sent.
   */
  private <T> CompletionStage<T> later(
      Duration within, Function<Duration, CompletionStage<T>> verb) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    long end = end(within);
    threads.request(
        () -> {
          Duration left = left(end);
          if (left.isZero()) {
            answer.completeExceptionally(tooLate());
            return;
          }
          try {
            answer.complete(verb.apply(left).toCompletableFuture().join());
          } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private long end(Duration within) {
    return clock.nanos() + within.toNanos();
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(0, end - clock.nanos()));
  }

  private static StoreException tooLate() {
    return new StoreException(
        Failure.UNAVAILABLE, "the store is busy: no thread was free to ask it in time", null);
  }

  @Override
  public void close() {
    store.close();
    threads.close();
  }
}
