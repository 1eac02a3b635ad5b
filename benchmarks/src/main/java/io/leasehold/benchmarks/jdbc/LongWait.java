package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Clock;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Grants;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One of two processes waits while the other holds the lock for half a second: what it asks
 * meanwhile, and how soon it has the lock then. Who polls pays for one by the other.
 */
final class LongWait {
  /** In a second, of who waits; the few of the hand-overs count too. */
  static final Measure STATEMENTS = new Measure("statements of who waits", "/s");

  private static final Duration WAIT = Duration.ofMillis(500);

  private LongWait() {}

  static Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    Duration length = settings.length().plus(WAIT.multipliedBy(2));
    List<Grants> grants = new ArrayList<>();
    long begin = Clock.nanos();
    Counts counts = stage.count(() -> grants.add(stage.handOver(contender, WAIT, length)));
    double seconds = (Clock.nanos() - begin) / 1e9;
    return Map.of(
        "hand-over p50",
        grants.get(0).handOverMillis(0.5),
        STATEMENTS.name(),
        counts.dividedBy(seconds).of("statements"));
  }
}
