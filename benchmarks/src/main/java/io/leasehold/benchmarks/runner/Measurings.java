package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Scenario.Measuring;
import io.leasehold.benchmarks.runner.Stage.Shape;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** What is measured in the same way on every kind of server. */
public final class Measurings {
  /** How long the other waits before a lock is handed over. */
  private static final Duration SETTLED = Duration.ofMillis(10);

  /** Renewals come in bursts; one period may see one more or less. */
  private static final int PERIODS = 3;

  private Measurings() {}

  /** A free lock, taken and released by one thread: what the server is asked, and the median. */
  public static Measuring pair() {
    return (stage, contender, settings) -> {
      Map<String, Double> measured =
          new HashMap<>(
              stage.alone(
                  contender,
                  settings.heldTtl(),
                  child -> countPairs(stage, child, contender, settings.pairs())));
      Shape alone = new Shape(1, 1, 1, Duration.ZERO);
      Grants grants = stage.contend(contender, alone, settings.length());
      measured.put("median", grants.pairMicros());
      return measured;
    };
  }

  private static Map<String, Double> countPairs(
      Stage stage, ChildProcess child, Contender contender, int pairs) throws InterruptedException {
    String name = stage.newName();
    child.ask(Task.pairs(contender, name, 10));
    Counts counts = stage.count(() -> child.ask(Task.pairs(contender, name, pairs)));
    return counts.dividedBy(pairs).byMeasure();
  }

  /** Threads that want the same name, or each its own. */
  public static Measuring contended(Shape shape) {
    return (stage, contender, settings) -> {
      Grants grants = stage.contend(contender, shape, settings.length());
      return shape.names() > 1
          ? Map.of("rate", grants.perSecond())
          : Map.of(
              "rate", grants.perSecond(),
              "p99 wait", grants.waitMillis(0.99),
              "min/max per thread", grants.evenness(),
              "fewest of a thread", grants.fewest(),
              "in order", grants.inOrder(),
              "hand-over p50", grants.handOverMillis(0.5),
              "hand-over p99", grants.handOverMillis(0.99));
    };
  }

  /** Two processes that pass a lock to each other. */
  public static Measuring handOver() {
    return (stage, contender, settings) -> {
      Grants grants = stage.handOver(contender, SETTLED, settings.length());
      return Map.of(
          "hand-over p50", grants.handOverMillis(0.5),
          "hand-over p99", grants.handOverMillis(0.99));
    };
  }

  /** Many leases that are held: what the server is asked in a renewal period. */
  public static Measuring held() {
    return (stage, contender, settings) ->
        stage.alone(
            contender, settings.heldTtl(), child -> hold(stage, child, contender, settings));
  }

  private static Map<String, Double> hold(
      Stage stage, ChildProcess child, Contender contender, Settings settings)
      throws InterruptedException {
    Task.Answer held = child.ask(Task.hold(contender, stage.newName(), settings.leases()));
    Clock.pause(settings.renewalPeriod());
    Duration watched = settings.renewalPeriod().multipliedBy(PERIODS);
    Counts counts = stage.count(() -> Clock.pause(watched)).dividedBy(PERIODS);
    Map<String, Double> measured = new HashMap<>(counts.byMeasure());
    measured.put("threads", held.value("threads"));
    measured.put("heap per lease", held.value("heap"));
    return measured;
  }
}
