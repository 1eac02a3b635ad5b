package io.leasehold.benchmarks;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** The store's part of an uncontended lock: one ticket is granted and released again. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class StoreBenchmark {
  private static final Duration WITHIN = Duration.ofSeconds(1);

  private final LockStore store = Memory.server().open(new NoListener());
  private final Ticket ticket =
      new Ticket(
          "uncontended",
          new LeaseId(1, 1),
          LockMode.EXCLUSIVE,
          1,
          1,
          Duration.ofSeconds(30),
          Ticket.Intent.QUEUE,
          false,
          "benchmark");

  /** Ends the connection. */
  @TearDown
  public void close() {
    store.close();
  }

  /** Without tombstones the same ticket can be granted again. */
  @Benchmark
  public void attemptAndRelease(Blackhole answers) {
    CompletionStage<Attempt> granted = store.attempt(ticket, WITHIN);
    CompletionStage<Release> released = store.release(ticket, WITHIN);
    answers.consume(granted);
    answers.consume(released);
  }

  private static final class NoListener implements StoreListener {
    @Override
    public void wake(LeaseId id) {}

    @Override
    public void lost(Collection<LeaseId> ids) {}

    @Override
    public void reconnected() {}
  }
}
