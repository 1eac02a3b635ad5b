package io.leasehold.testkit;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** Connections that go wrong on the way to a store that is in order. */
final class BrokenConnections {
  private BrokenConnections() {}

  private static boolean is(Failure failure, Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return cause instanceof StoreException e && e.failure() == failure;
  }

  /** Does what the store does. */
  static class Forwarding implements LockStore {
    final LockStore store;

    Forwarding(LockStore store) {
      this.store = store;
    }

    /** What reaches the store. */
    Ticket sent(Ticket ticket) {
      return ticket;
    }

    @Override
    public Traits traits() {
      return store.traits();
    }

    @Override
    public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
      return store.attempt(sent(ticket), within);
    }

    @Override
    public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
      return store.attempt(tickets.stream().map(this::sent).toList(), within);
    }

    @Override
    public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
      return store.withdraw(sent(ticket), within);
    }

    @Override
    public void renew(
        Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
      store.renew(tickets.stream().map(this::sent).toList(), within, each);
    }

    @Override
    public CompletionStage<Release> release(Ticket ticket, Duration within) {
      return store.release(sent(ticket), within);
    }

    @Override
    public CompletionStage<Release> release(
        Ticket ticket, Collection<LeaseId> served, Duration within) {
      return store.release(sent(ticket), served, within);
    }

    @Override
    public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
      return store.watch(sent(ticket), within);
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

  /** Names for which this yields the same text are one name: that which came first. */
  static StoreFactory takesForOne(StoreFactory server, UnaryOperator<String> text) {
    Map<String, String> first = new ConcurrentHashMap<>();
    return listener ->
        new Forwarding(server.open(listener)) {
          @Override
          Ticket sent(Ticket t) {
            String name = first.computeIfAbsent(text.apply(t.name()), any -> t.name());
            return new Ticket(
                name,
                t.id(),
                t.mode(),
                t.permits(),
                t.limit(),
                t.ttl(),
                t.intent(),
                t.fair(),
                t.holder());
          }
        };
  }

  /** A try that may take long waits for the holder first. */
  static StoreFactory triesWait(StoreFactory server) {
    return listener ->
        new Forwarding(server.open(listener)) {
          private final Threads threads = new Threads();

          @Override
          public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
            CompletionStage<Attempt> answer = super.attempt(ticket, within);
            if (ticket.intent() == Ticket.Intent.QUEUE
                || within.compareTo(Duration.ofSeconds(20)) < 0) {
              return answer;
            }
            CompletableFuture<Attempt> late = new CompletableFuture<>();
            threads.schedule(
                () -> answer.thenAccept(late::complete), Duration.ofSeconds(20).toNanos());
            return late;
          }

          @Override
          public void close() {
            threads.close();
            super.close();
          }
        };
  }

  /** Every grant is said to have its whole ttl before it. */
  static StoreFactory answersTheTtlAskedFor(StoreFactory server) {
    return listener ->
        new Forwarding(server.open(listener)) {
          @Override
          public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
            return super.attempt(ticket, within)
                .thenApply(
                    answer ->
                        answer instanceof Attempt.Granted granted
                            ? new Attempt.Granted(
                                granted.number(), ticket.ttl(), granted.wanted(), granted.run())
                            : answer);
          }
        };
  }

  /** A waiter is said to be watched, and is not. */
  static StoreFactory saysThatItWatches(StoreFactory server) {
    return listener ->
        new Forwarding(server.open(listener)) {
          @Override
          public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
            return super.attempt(ticket, within).thenApply(this::watched);
          }

          @Override
          public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
            return super.attempt(tickets, within)
                .thenApply(answers -> answers.stream().map(this::watched).toList());
          }

          private Attempt watched(Attempt answer) {
            return answer instanceof Attempt.Queued queued ? queued.asWatched() : answer;
          }
        };
  }

  /** A lost reply is taken for a refusal. */
  static StoreFactory takesUnknownForBusy(StoreFactory server) {
    return listener ->
        new Forwarding(server.open(listener)) {
          @Override
          public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
            return super.attempt(ticket, within)
                .exceptionallyCompose(
                    failed ->
                        is(Failure.UNKNOWN_OUTCOME, failed)
                            ? CompletableFuture.completedStage(new Attempt.Busy(Duration.ZERO, ""))
                            : CompletableFuture.failedStage(failed));
          }
        };
  }

  /** What is asked while there is no connection is sent when there is one again. */
  static StoreFactory replaysAfterReconnect(StoreFactory server) {
    return listener -> {
      Queue<Runnable> later = new ConcurrentLinkedQueue<>();
      LockStore store = server.open(new Replaying(listener, later));
      return new Forwarding(store) {
        @Override
        public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
          return super.attempt(ticket, within)
              .whenComplete(
                  (answer, failed) -> {
                    if (failed != null && is(Failure.UNAVAILABLE, failed)) {
                      later.add(() -> super.attempt(ticket, within));
                    }
                  });
        }
      };
    };
  }

  private record Replaying(StoreListener listener, Queue<Runnable> later) implements StoreListener {
    @Override
    public void wake(LeaseId id) {
      listener.wake(id);
    }

    @Override
    public void reconnected() {
      for (Runnable next = later.poll(); next != null; next = later.poll()) {
        next.run();
      }
      listener.reconnected();
    }

    @Override
    public void lost(Collection<LeaseId> ids) {
      listener.lost(ids);
    }
  }

  /** Its thread goes on. */
  static StoreFactory leavesAThread(StoreFactory server) {
    return listener -> {
      Threads threads = new Threads();
      threads.schedule(() -> {}, 1);
      return new Forwarding(server.open(listener));
    };
  }

  /** With its connection goes all that has a name like those it held. */
  static StoreFactory closesByPrefix(InMemoryServer server) {
    return listener ->
        new Forwarding(server.open(listener)) {
          private final Set<String> asked = ConcurrentHashMap.newKeySet();

          @Override
          Ticket sent(Ticket ticket) {
            asked.add(ticket.name());
            return ticket;
          }

          @Override
          public void close() {
            super.close();
            server.list().stream()
                .filter(held -> asked.stream().anyMatch(held.name()::startsWith))
                .forEach(
                    held ->
                        held.holders()
                            .forEach(
                                h ->
                                    server.breakLease(
                                        held.name(), h.fencingToken() >>> FenceNumber.SHIFT)));
          }
        };
  }
}
