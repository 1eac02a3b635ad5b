package io.leasehold.benchmarks;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Many callers wait for one lock by {@code acquireAsync}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@Fork(1)
public class WaitersBenchmark {
  private static final Duration LONG = Duration.ofHours(1);

  /** How many. */
  @Param("10000")
  public int waiters;

  private final LockClient client = Memory.client();
  private final DistributedLock lock = client.lock("held");
  private final Lease held = lock.tryAcquire().orElseThrow();
  private CompletableFuture<?>[] waits = {};

  /** What each of them took. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Cost {
    /** Bytes kept while it waits, its future included. */
    public long retainedBytes;
  }

  /** Makes room for them. */
  @Setup(Level.Iteration)
  public void reserve() {
    waits = new CompletableFuture<?>[waiters];
  }

  /** Gives the waits up. */
  @TearDown(Level.Iteration)
  public void giveUp() {
    for (CompletableFuture<?> wait : waits) {
      wait.cancel(false);
    }
  }

  /** Ends the client. */
  @TearDown
  public void close() {
    held.release();
    client.close();
  }

  /** Begins all waits. */
  @Benchmark
  public void begin(Cost cost) {
    long used = usedHeap();
    for (int i = 0; i < waits.length; i++) {
      waits[i] = lock.acquireAsync(LONG);
    }
    cost.retainedBytes += (usedHeap() - used) / waiters;
  }

  /** The least of a few: the first collection may leave something. */
  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
