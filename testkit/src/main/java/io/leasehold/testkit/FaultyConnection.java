package io.leasehold.testkit;

import io.leasehold.Finding;
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
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** A connection whose requests meet the fates that its {@link FaultyStore} has for them. */
final class FaultyConnection implements LockStore {
  private final FaultyStore faulty;
  private final LockStore store;
  private final Clock clock = new SystemClock();

  FaultyConnection(FaultyStore faulty, LockStore store) {
    this.faulty = faulty;
    this.store = store;
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return send(within, () -> store.attempt(ticket, within))
        .thenApply(answer -> answered(ticket, answer));
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    return send(within, () -> store.attempt(tickets, within))
        .thenApply(
            answers -> {
              for (int i = 0; i < tickets.size(); i++) {
                answered(tickets.get(i), answers.get(i));
              }
              return answers;
            });
  }

  private Attempt answered(Ticket ticket, Attempt answer) {
    faulty.countAnswer();
    if (answer instanceof Attempt.Queued queued && faulty.hasReconnected()) {
      return new Attempt.Queued(queued.place(), queued.holder());
    }
    if (answer instanceof Attempt.Granted) {
      faulty.granted().add(ticket.id());
    }
    return answer;
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    faulty.granted().remove(ticket.id());
    return send(within, () -> store.withdraw(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    faulty.granted().remove(ticket.id());
    return send(within, () -> store.release(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    faulty.granted().remove(ticket.id());
    return send(within, () -> store.release(ticket, served, within));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return send(within, () -> store.watch(ticket, within))
        .thenApply(watch -> faulty.hasReconnected() ? Watch.ATTEMPT_AGAIN : watch);
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    List<Ticket> asked = new ArrayList<>();
    for (Ticket ticket : tickets) {
      if (faulty.polls() || faulty.granted().contains(ticket.id())) {
        asked.add(ticket);
      } else {
        each.accept(ticket.id(), new Renewal.Waiting());
      }
    }
    if (asked.isEmpty()) {
      return;
    }
    CompletionStage<Map<LeaseId, Renewal>> all = send(within, () -> renewAll(asked, within));
    all.whenComplete(
            (answers, failed) ->
                asked.forEach(
                    t ->
                        each.accept(
                            t.id(),
                            failed == null ? answers.get(t.id()) : new Renewal.Unknown(failed))))
        .exceptionally(failed -> Map.of());
  }

  private CompletionStage<Map<LeaseId, Renewal>> renewAll(List<Ticket> tickets, Duration within) {
    Map<LeaseId, Renewal> answers = new ConcurrentHashMap<>();
    CompletableFuture<Map<LeaseId, Renewal>> all = new CompletableFuture<>();
    store.renew(
        tickets,
        within,
        (id, answer) -> {
          answers.put(id, answer);
          if (answers.size() == tickets.size()) {
            all.complete(answers);
          }
        });
    return all;
  }

  /** Sends a request into its fate. */
  private <T> CompletionStage<T> send(Duration within, Supplier<CompletionStage<T>> request) {
    int index = faulty.nextIndex();
    DelayedRequest delayed = faulty.delayed(index);
    if (delayed == null) {
      return meet(faulty.fate(index), within, request);
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    switch (delayed.kind) {
      case REQUEST ->
          delayed.send(() -> complete(answer, meet(faulty.fate(index), within, request)));
      case UNANSWERED -> {
        answer.completeExceptionally(failure(Failure.UNKNOWN_OUTCOME));
        delayed.send(() -> unheard(request.get()));
      }
      case LOSS -> {
        CompletionStage<T> unheard = request.get();
        delayed.send(
            () -> complete(answer, unheard.thenCompose(lost -> failed(Failure.UNKNOWN_OUTCOME))));
      }
    }
    return inTime(answer, within);
  }

  private <T> CompletionStage<T> meet(
      FaultyStore.Fate fate, Duration within, Supplier<CompletionStage<T>> request) {
    return switch (fate) {
      case PASSES -> request.get().thenCompose(answer -> reply(answer, within));
      case IS_REFUSED -> failed(Failure.UNAVAILABLE);
      case REQUEST_LOST -> failed(Failure.UNKNOWN_OUTCOME);
      case REPLY_LOST -> request.get().thenCompose(lost -> failed(Failure.UNKNOWN_OUTCOME));
      case REQUEST_SWALLOWED -> inTime(faulty.unanswered(), within);
      case REPLY_SWALLOWED -> {
        unheard(request.get());
        yield inTime(faulty.unanswered(), within);
      }
    };
  }

  /** What was under way when the connection broke is done, and its answer does not come. */
  private <T> CompletionStage<T> reply(T answer, Duration within) {
    return switch (faulty.weather()) {
      case REQUEST_SWALLOWED -> inTime(faulty.unanswered(), within);
      case IS_REFUSED, REPLY_LOST -> failed(Failure.UNKNOWN_OUTCOME);
      default -> CompletableFuture.completedStage(answer);
    };
  }

  /** The answer does not matter. */
  private static void unheard(CompletionStage<?> answer) {
    CompletionStage<?> unused = answer.whenComplete((value, failed) -> {});
  }

  /** A store whose verbs block does so for as long as it was told; another answers later. */
  private <T> CompletionStage<T> inTime(CompletableFuture<T> answer, Duration within) {
    if (traits().calls() == Traits.Calls.NON_BLOCKING) {
      return answer;
    }
    boolean interrupted = false;
    long end = clock.nanos() + within.toNanos();
    try {
      while (true) {
        try {
          answer.get(end - clock.nanos(), TimeUnit.NANOSECONDS);
          return answer;
        } catch (ExecutionException e) {
          return answer;
        } catch (TimeoutException e) {
          return failed(Failure.UNKNOWN_OUTCOME);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static <T> void complete(CompletableFuture<T> answer, CompletionStage<T> stage) {
    CompletionStage<T> unused =
        stage.whenComplete(
            (value, failed) -> {
              if (failed != null) {
                answer.completeExceptionally(failed);
              } else {
                answer.complete(value);
              }
            });
  }

  private static <T> CompletionStage<T> failed(Failure failure) {
    return CompletableFuture.failedStage(failure(failure));
  }

  static StoreException failure(Failure failure) {
    return new StoreException(failure, "the test made this request fail", null);
  }

  @Override
  public Optional<StoreOperator> operator() {
    return store.operator();
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return store.diagnose(within);
  }

  @Override
  public void close() {
    store.close();
  }
}
