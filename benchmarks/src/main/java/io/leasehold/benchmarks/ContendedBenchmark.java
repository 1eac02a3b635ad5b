package io.leasehold.benchmarks;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Many threads of one process want one lock, which each holds for an instant: first come, first
 * served, as the fair lock of the JDK does it.
 */
@State(Scope.Benchmark)
@Threads(32)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class ContendedBenchmark {
  private final LockClient client = Memory.client();
  private final DistributedLock lock = client.lock("contended");
  private final Lock fair = new ReentrantLock(true);

  /** What the lock protects. */
  private long guarded;

  /** Ends the client. */
  @TearDown
  public void close() {
    client.close();
  }

  /** Ours. */
  @Benchmark
  public void withLock() throws InterruptedException {
    lock.withLock(lease -> guarded++);
  }

  /** What it is compared with. */
  @Benchmark
  public void fairReentrantLock() {
    fair.lock();
    try {
      guarded++;
    } finally {
      fair.unlock();
    }
  }
}
