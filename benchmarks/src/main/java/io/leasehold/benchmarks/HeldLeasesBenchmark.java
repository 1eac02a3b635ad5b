package io.leasehold.benchmarks;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One client holds many leases, each on a name of its own, and keeps them alive. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4)
@Measurement(iterations = 5)
@Fork(1)
public class HeldLeasesBenchmark {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** A third of the ttl. The work of one does not depend on its length; a short one saves time. */
  private static final Duration PERIOD = Duration.ofSeconds(3);

  /** How many. */
  @Param("100000")
  public int leases;

  private final MeteredServer server = new MeteredServer(Memory.server());
  private final LockClient client = Leasehold.builder(server).ttl(PERIOD.multipliedBy(3)).build();

  private final List<Lease> held = new ArrayList<>();

  /** What a period took. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Cost {
    /** Leases renewed. */
    public long renewals;

    /** Microseconds of processor time of the engine's threads, without the store's part. */
    public long engineMicros;

    /** Microseconds of processor time in the store. */
    public long storeMicros;
  }

  /** Takes all leases. */
  @Setup
  public void acquire() throws InterruptedException {
    for (int i = 0; i < leases; i++) {
      held.add(client.lock("name " + i).acquire());
    }
  }

  /** Ends the client, which releases them. */
  @TearDown
  public void close() {
    long lost = held.stream().filter(lease -> !lease.isHeld()).count();
    client.close();
    if (lost > 0) {
      throw new IllegalStateException(lost + " leases were lost: what was measured is not renewal");
    }
  }

  /** Lets one renewal period pass. */
  @Benchmark
  public boolean period(Cost cost) throws InterruptedException {
    long renewals = server.renewals();
    long store = server.cpuNanos();
    long all = engineNanos();
    boolean never = new CountDownLatch(1).await(PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    long storePart = server.cpuNanos() - store;
    cost.engineMicros += (engineNanos() - all - storePart) / 1_000;
    cost.storeMicros += storePart / 1_000;
    cost.renewals += server.renewals() - renewals;
    return never;
  }

  private static long engineNanos() {
    long sum = 0;
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith("leasehold-")) {
        sum += Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return sum;
  }
}
