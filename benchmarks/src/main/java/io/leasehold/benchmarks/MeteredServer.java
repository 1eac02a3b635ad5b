package io.leasehold.benchmarks;

import io.leasehold.Finding;
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
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * A server whose renewals are counted, and whose part of their processor time is told from the
 * engine's. Only for one that answers before it returns.
 */
final class MeteredServer implements StoreFactory {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final StoreFactory server;
  private final LongAdder renewals = new LongAdder();
  private final LongAdder cpuNanos = new LongAdder();

  MeteredServer(StoreFactory server) {
    this.server = server;
  }

  /** Tickets renewed so far. */
  long renewals() {
    return renewals.sum();
  }

  /** Processor time that this took, without what the engine did with the answers. */
  long cpuNanos() {
    return cpuNanos.sum();
  }

  @Override
  public LockStore open(StoreListener listener) {
    return new MeteredStore(server.open(listener));
  }

  private final class MeteredStore implements LockStore {
    private final LockStore store;

    MeteredStore(LockStore store) {
      this.store = store;
    }

    @Override
    public void renew(
        Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
      long begin = THREADS.getCurrentThreadCpuTime();
      List<LeaseId> ids = new ArrayList<>(tickets.size());
      List<Renewal> answers = new ArrayList<>(tickets.size());
      store.renew(
          tickets,
          within,
          (id, answer) -> {
            ids.add(id);
            answers.add(answer);
          });
      renewals.add(answers.size());
      cpuNanos.add(THREADS.getCurrentThreadCpuTime() - begin);
      for (int i = 0; i < answers.size(); i++) {
        each.accept(ids.get(i), answers.get(i));
      }
    }

    @Override
    public Traits traits() {
      return store.traits();
    }

    @Override
    public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
      return store.attempt(ticket, within);
    }

    @Override
    public CompletionStage<List<Attempt>> attempt(List<Ticket> tickets, Duration within) {
      return store.attempt(tickets, within);
    }

    @Override
    public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
      return store.withdraw(ticket, within);
    }

    @Override
    public CompletionStage<Release> release(Ticket ticket, Duration within) {
      return store.release(ticket, within);
    }

    @Override
    public CompletionStage<Release> release(
        Ticket ticket, Collection<LeaseId> served, Duration within) {
      return store.release(ticket, served, within);
    }

    @Override
    public CompletionStage<Watch> watch(Ticket ticket, Duration within) {
      return store.watch(ticket, within);
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
}
