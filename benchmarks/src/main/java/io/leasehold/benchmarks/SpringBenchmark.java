package io.leasehold.benchmarks;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.micrometer.LockMetrics;
import io.leasehold.spring.Locked;
import io.leasehold.spring.LockedAdvisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** An uncontended lock by itself, by an annotation, and with meters. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class SpringBenchmark {
  private final LockClient client = Memory.client();
  private final LockClient metered = Memory.client();
  private final DistributedLock lock = client.lock("uncontended");
  private final DistributedLock meteredLock = metered.lock("uncontended");
  private final Work work = proxied(client);

  /** Not final: the compiler would make the name once. */
  private long id = 7;

  /** Binds the meters. */
  public SpringBenchmark() {
    new LockMetrics(metered).bindTo(new SimpleMeterRegistry());
  }

  /** As Spring makes the bean. */
  static Work proxied(LockClient client) {
    ProxyFactory proxy = new ProxyFactory(new Work());
    proxy.setProxyTargetClass(true);
    proxy.addAdvisor(new LockedAdvisor(() -> client, new DefaultListableBeanFactory()));
    return (Work) proxy.getProxy();
  }

  /** Ends the clients. */
  @TearDown
  public void close() {
    client.close();
    metered.close();
  }

  /** The lock by itself. */
  @Benchmark
  public long plain() throws InterruptedException {
    return lock.callWithLock(lease -> 1L);
  }

  /** A lock made for the call, since its name has a parameter: what the annotation cannot save. */
  @Benchmark
  public long byHand() throws InterruptedException {
    return client.lock("account:" + id).callWithLock(lease -> 1L);
  }

  /** A method whose lock has a fixed name. */
  @Benchmark
  public long fixedName() {
    return work.fixed();
  }

  /** A method whose lock has a parameter in its name. */
  @Benchmark
  public long nameOfParameter() {
    return work.byParameter(id);
  }

  /** A method whose lock has a property of a parameter in its name. */
  @Benchmark
  public long nameByExpression() {
    return work.byExpression("seven");
  }

  /** The lock by itself, with meters. */
  @Benchmark
  public long withMeters() throws InterruptedException {
    return meteredLock.callWithLock(lease -> 1L);
  }

  /** What is locked. */
  public static class Work {
    /** Under a fixed name. */
    @Locked("uncontended")
    public long fixed() {
      return 1;
    }

    /** Under a name with a parameter. */
    @Locked("account:#{#p0}")
    public long byParameter(long id) {
      return id;
    }

    /** Under a name with a property. */
    @Locked("account:#{#p0.length()}")
    public long byExpression(String text) {
      return text.length();
    }
  }
}
