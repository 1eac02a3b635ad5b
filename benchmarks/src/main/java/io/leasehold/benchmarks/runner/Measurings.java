package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Scenario.Measuring;
import io.leasehold.benchmarks.runner.Stage.Shape;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What is measured in the same way on every kind of server. */
public final class Measurings {
  /** How long the other waits before a lock is handed over. */
  private static final Duration SETTLED = Duration.ofMillis(10);

  /** So many make a process warm, for each pair that is counted: 5,000. */
  private static final int HAND_OVERS_A_PAIR = 10;

  /** How long the other waits before the holder is killed. */
  private static final Duration WAITING = Duration.ofMillis(500);

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
      measured.putAll(timed(stage, contender, settings));
      return measured;
    };
  }

  /** The same without what the server is asked. */
  public static Measuring timedPair() {
    return Measurings::timed;
  }

  private static Map<String, Double> timed(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    Shape alone = new Shape(1, 1, 1, Duration.ZERO);
    Grants grants = stage.contend(contender, alone, settings.length());
    double median = grants.pairMicros(0.5);
    return Map.of("median", median, "p99/p50", grants.pairMicros(0.99) / median);
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

  /** The same of new processes, and p50 once more when their code is compiled. */
  public static Measuring handOverColdAndWarm() {
    return (stage, contender, settings) -> {
      int times = HAND_OVERS_A_PAIR * settings.pairs();
      List<Grants> both = stage.handOverColdAndAfter(times, contender, SETTLED, settings.length());
      return Map.of(
          "hand-over p50", both.get(0).handOverMillis(0.5),
          "hand-over p99", both.get(0).handOverMillis(0.99),
          "warm p50", both.get(1).handOverMillis(0.5));
    };
  }

  /** The same, p50 only, after waits of several lengths. */
  public static Measuring handOvers(Duration... waits) {
    return (stage, contender, settings) -> {
      Map<String, Double> measured = new HashMap<>();
      for (Duration wait : waits) {
        // Three of them at least
        Duration length = settings.length().plus(wait.multipliedBy(3));
        Grants grants = stage.handOver(contender, wait, length);
        measured.put(handOverAfter(wait), grants.handOverMillis(0.5));
      }
      return measured;
    };
  }

  /** What {@link #handOvers} calls its measure. */
  public static String handOverAfter(Duration wait) {
    return "after " + wait.toMillis() + " ms";
  }

  /** A process dies that holds a lock: how long another one still waits for it, in seconds. */
  public static Measuring crash(Function<Contender, Duration> ttl) {
    return (stage, contender, settings) -> {
      Duration each = ttl.apply(contender);
      return stage.alone(
          contender,
          each,
          holder ->
              stage.alone(contender, each, waiter -> takeOver(stage, contender, holder, waiter)));
    };
  }

  private static Map<String, Double> takeOver(
      Stage stage, Contender contender, ChildProcess holder, ChildProcess waiter)
      throws InterruptedException {
    String name = stage.newName();
    waiter.ask(Task.pairs(contender, stage.newName(), 1));
    holder.ask(Task.hold(contender, name, 1));
    waiter.tell(Task.pairs(contender, name, 1));
    Clock.pause(WAITING);
    long killed = Clock.nanos();
    holder.close();
    waiter.answer();
    return Map.of("take-over", (Clock.nanos() - killed) / 1e9);
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
