package io.leasehold.benchmarks.stores;

import io.leasehold.benchmarks.runner.Bars;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Measurings;
import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Scenario.Measuring;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage.Shape;
import io.leasehold.benchmarks.runner.Suite;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * On all stores.
 *
 * @param stores which of them
 */
record StoresSuite(Set<Store> stores) implements Suite {
  private static final Measure RATE = new Measure("rate", "/s");

  @Override
  public String name() {
    return "STORES";
  }

  @Override
  public Server start() {
    return StoresServers.start(contenders());
  }

  @Override
  public List<Store> contenders() {
    return stores.stream().sorted().toList();
  }

  @Override
  public List<Scenario> scenarios() {
    return List.of(
        scenario(
            "pair",
            "uncontended lock and unlock",
            Measurings.timedPair(),
            new Measure("median", "us"),
            new Measure("p99/p50", "")),
        scenario("low", "2 processes x 1 thread, one name", contended(2, 1), RATE),
        scenario("one-process", "32 threads of one process, one name", contended(1, 32), RATE),
        scenario("processes", "4 processes x 8 threads, one name", contended(4, 8), RATE),
        scenario(
            "hand-over",
            "hand-over between two processes",
            Measurings.handOver(),
            new Measure("hand-over p50", "ms")),
        scenario(
            "crash",
            "the holder is killed",
            Measurings.crash(contender -> Store.valueOf(contender.name()).shortestTtl()),
            new Measure("take-over", "s")));
  }

  private static Measuring contended(int processes, int threads) {
    return Measurings.contended(new Shape(processes, threads, 1, Duration.ZERO));
  }

  private Scenario scenario(String name, String title, Measuring measuring, Measure... measures) {
    List<Contender> who = List.copyOf(contenders());
    return new Scenario(name, title, List.of(measures), who, measuring, List.of());
  }

  @Override
  public Optional<String> drawing(Report report) {
    return Optional.of(Bars.of(report));
  }

  @Override
  public Settings settings(Duration length) {
    return new Settings(length, Duration.ofSeconds(1), 0, 0, Duration.ZERO);
  }
}
