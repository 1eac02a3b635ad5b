package io.leasehold.testkit.engine;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Attempt;
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
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** A connection whose verbs can be counted, kept silent, and made to fail. */
final class FaultyStore implements LockStore {
  /** How verbs are answered. */
  enum Mood {
    NORMAL,
    /** Never, though what is asked is not done either. */
    SILENT,
    /** What is asked is done, and the answer is lost. */
    REPLIES_LOST,
    /** At once, as unavailable. */
    UNAVAILABLE
  }

  /** Opens such connections; its switches act on all of them. */
  static final class Factory implements StoreFactory {
    private final InMemoryServer server;
    private final ConcurrentHashMap<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    private final AtomicInteger tickets = new AtomicInteger();
    private volatile Mood mood = Mood.NORMAL;
    private volatile String only = "";

    Factory(InMemoryServer server) {
      this.server = server;
    }

    @Override
    public LockStore open(StoreListener listener) {
      return new FaultyStore(this, server.open(listener));
    }

    void become(Mood newMood) {
      become(newMood, "");
    }

    /** Only for verbs of this name. */
    void become(Mood newMood, String verb) {
      only = verb;
      mood = newMood;
    }

    /** How many tickets were asked about by all renewals together. */
    int ticketsRenewed() {
      return tickets.get();
    }

    int count(String verb) {
      AtomicInteger count = counts.get(verb);
      return count == null ? 0 : count.get();
    }

    /** All verbs. */
    int count() {
      return counts.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    private Mood moodFor(String verb) {
      counts.computeIfAbsent(verb, v -> new AtomicInteger()).incrementAndGet();
      return only.isEmpty() || only.equals(verb) ? mood : Mood.NORMAL;
    }
  }

  private final Factory factory;
  private final LockStore store;

  private FaultyStore(Factory factory, LockStore store) {
    this.factory = factory;
    this.store = store;
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  private <T> CompletionStage<T> answer(
      String verb, Duration within, Supplier<CompletionStage<T>> ask) {
    Mood mood = factory.moodFor(verb);
    return switch (mood) {
      case NORMAL -> ask.get();
      case UNAVAILABLE -> CompletableFuture.failedStage(failure(Failure.UNAVAILABLE));
      case SILENT -> unanswered(within);
      case REPLIES_LOST -> {
        CompletionStage<T> lost = ask.get();
        yield lost.toCompletableFuture().isCompletedExceptionally() ? lost : unanswered(within);
      }
    };
  }

  /** A store that blocks does so for as long as it was told; another never answers. */
  private <T> CompletionStage<T> unanswered(Duration within) {
    if (traits().calls() == Traits.Calls.NON_BLOCKING) {
      return new CompletableFuture<>();
    }
    block(within);
    return CompletableFuture.failedStage(failure(Failure.UNKNOWN_OUTCOME));
  }

  private static void block(Duration within) {
    boolean interrupted = false;
    long end = System.nanoTime() + within.toNanos();
    for (long left = within.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static StoreException failure(Failure failure) {
    return new StoreException(failure, "the test made it fail", null);
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    return answer("attempt", within, () -> store.attempt(ticket, within));
  }

  @Override
  public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
    return answer("attempt", within, () -> store.attempt(tickets, within));
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    return answer("withdraw", within, () -> store.withdraw(ticket, within));
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    factory.tickets.addAndGet(tickets.size());
    Mood mood = factory.moodFor("renew");
    if (mood == Mood.NORMAL) {
      store.renew(tickets, within, each);
      return;
    }
    if (mood == Mood.REPLIES_LOST) {
      store.renew(tickets, within, (id, lost) -> {});
    }
    if (mood != Mood.UNAVAILABLE && traits().calls() == Traits.Calls.NON_BLOCKING) {
      return;
    }
    if (mood != Mood.UNAVAILABLE) {
      block(within);
    }
    tickets.forEach(
        t -> each.accept(t.id(), new Renewal.Unknown(failure(Failure.UNKNOWN_OUTCOME))));
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    return answer("release", within, () -> store.release(ticket, within));
  }

  @Override
  public CompletionStage<Release> release(
      Ticket ticket, Collection<LeaseId> served, Duration within) {
    return answer("release", within, () -> store.release(ticket, served, within));
  }

  @Override
  public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
    return answer("watch", within, () -> store.watch(ticket, within));
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
