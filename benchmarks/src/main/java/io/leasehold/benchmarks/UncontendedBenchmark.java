package io.leasehold.benchmarks;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
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

/** One thread takes and lets go a lock that no other thread wants. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class UncontendedBenchmark {
  private final LockClient client = Memory.client();
  private final DistributedLock lock = client.lock("uncontended");
  private final Lock view = lock.asLock();

  /** What the lock protects. */
  private long guarded;

  /** Ends the client. */
  @TearDown
  public void close() {
    client.close();
  }

  /** A scope. */
  @Benchmark
  public void withLock() throws InterruptedException {
    lock.withLock(lease -> {});
  }

  /** As {@code java.util.concurrent} does it. */
  @Benchmark
  public long lockAndUnlock() {
    view.lock();
    try {
      return ++guarded;
    } finally {
      view.unlock();
    }
  }

  /** A lease in the hand. */
  @Benchmark
  public void tryAcquireAndRelease() {
    lock.tryAcquire().ifPresent(Lease::release);
  }
}
