package io.leasehold.benchmarks.redis;

import static io.leasehold.benchmarks.redis.Contender.JEDIS;
import static io.leasehold.benchmarks.redis.Contender.LEASEHOLD;
import static io.leasehold.benchmarks.redis.Contender.LEASEHOLD_FAIR;
import static io.leasehold.benchmarks.redis.Contender.LETTUCE;
import static io.leasehold.benchmarks.redis.Contender.REDISSON;
import static io.leasehold.benchmarks.redis.Contender.REDISSON_FAIR;
import static io.leasehold.benchmarks.redis.Contender.REENTRANT_LOCK;
import static io.leasehold.benchmarks.redis.Contender.SPRING;

import io.leasehold.benchmarks.Figure.Bound;
import io.leasehold.benchmarks.redis.Scenario.Measure;
import io.leasehold.benchmarks.redis.Scenario.Measuring;
import io.leasehold.benchmarks.redis.Stage.Shape;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is measured, and the targets. */
final class Scenarios {
  private static final Duration NOTHING = Duration.ZERO;
  private static final Duration WORK = Duration.ofMillis(1);

  /** Renewals come in bursts; one period may see one more or less. */
  private static final int PERIODS = 3;

  private static final Measure REQUESTS = new Measure("requests", "");
  private static final Measure COMMANDS = new Measure("commands", "");
  private static final Measure RATE = new Measure("rate", "/s");
  private static final Measure P99 = new Measure("p99 wait", "ms");
  private static final Measure EVENNESS = new Measure("min/max per thread", "");
  private static final Measure ORDER = new Measure("in order", "");

  private static final Measure P50_OVER = new Measure("hand-over p50", "ms");
  private static final Measure P99_OVER = new Measure("hand-over p99", "ms");

  private static final List<Measure> LOCAL = List.of(RATE, P99, EVENNESS);
  private static final List<Measure> REMOTE =
      List.of(RATE, P99, EVENNESS, ORDER, P50_OVER, P99_OVER);

  private Scenarios() {}

  static List<Scenario> all() {
    return List.of(
        pair(),
        ownNames(),
        oneProcess(),
        processes(),
        fair(),
        work(),
        handOver(),
        held(),
        inside());
  }

  private static Scenario pair() {
    return new Scenario(
        "pair",
        "uncontended lock and unlock",
        List.of(REQUESTS, COMMANDS, new Measure("median", "us")),
        List.of(LEASEHOLD, REDISSON, SPRING, JEDIS, LETTUCE),
        (stage, contender, settings) -> {
          Map<String, Double> measured =
              new HashMap<>(
                  stage.alone(
                      contender,
                      settings.heldTtl(),
                      child -> countPairs(stage, child, contender, settings.pairs())));
          Shape alone = new Shape(1, 1, 1, NOTHING);
          Grants grants = stage.contend(contender, alone, settings.length());
          measured.put("median", grants.pairMicros());
          return measured;
        },
        List.of(
            Target.atMost("requests", 2),
            Target.atMost("commands", 9).aim(5),
            Target.atMost("median", 0.85).times(REDISSON).aim(0.72),
            Target.atMost("median", 1.2).times(JEDIS).aim(1.08)));
  }

  private static Map<String, Double> countPairs(
      Stage stage, ChildProcess child, Contender contender, int pairs) throws InterruptedException {
    String name = stage.newName();
    child.ask(Task.pairs(contender, name, 10));
    ServerCounts counts = stage.count(() -> child.ask(Task.pairs(contender, name, pairs)));
    return Map.of(
        "requests", counts.dividedBy(pairs).requests(),
        "commands", counts.dividedBy(pairs).commands());
  }

  private static Scenario ownNames() {
    return new Scenario(
        "own-names",
        "64 threads, own names",
        List.of(RATE),
        List.of(LEASEHOLD, REDISSON, SPRING, JEDIS, LETTUCE),
        contended(new Shape(1, 64, 64, NOTHING)),
        List.of(
            Target.atLeast("rate", 3).times(REDISSON).aim(5),
            Target.atLeast("rate", 0.8).times(JEDIS),
            Target.atLeast("rate", Double.NaN).times(LETTUCE).aim(1.2)));
  }

  private static Scenario oneProcess() {
    return new Scenario(
        "one-process",
        "32 threads of one process, one name",
        LOCAL,
        List.of(LEASEHOLD, REDISSON, SPRING, REENTRANT_LOCK),
        contended(new Shape(1, 32, 1, NOTHING)),
        List.of(
            Target.atLeast("rate", 12).times(REDISSON),
            Target.atLeast("rate", 0.5).times(REENTRANT_LOCK).aim(0.9),
            Target.atMost("p99 wait", 5)));
  }

  private static Scenario processes() {
    return new Scenario(
        "processes",
        "4 processes x 8 threads, one name",
        REMOTE,
        List.of(LEASEHOLD, REDISSON, SPRING),
        contended(new Shape(4, 8, 1, NOTHING)),
        List.of(
            Target.atLeast("rate", 60).times(REDISSON).aim(120),
            Target.atLeast("min/max per thread", 0.9),
            Target.atMost("p99 wait", 45).aim(10)));
  }

  private static Scenario fair() {
    return new Scenario(
        "fair",
        "4 processes x 8 threads, one name, fair",
        REMOTE,
        List.of(LEASEHOLD_FAIR, REDISSON_FAIR),
        contended(new Shape(4, 8, 1, NOTHING)),
        List.of(
            Target.atLeast("rate", 10).of(LEASEHOLD_FAIR).times(REDISSON_FAIR).aim(25),
            Target.atLeast("min/max per thread", 0.97).of(LEASEHOLD_FAIR),
            Target.atLeast("in order", 0.99).of(LEASEHOLD_FAIR),
            Target.atMost("p99 wait", Double.NaN).of(LEASEHOLD_FAIR).aim(20)));
  }

  private static Scenario work() {
    return new Scenario(
        "work",
        "4 processes x 8 threads, one name, 1 ms inside",
        REMOTE,
        List.of(LEASEHOLD, LEASEHOLD_FAIR, REDISSON, REDISSON_FAIR, SPRING),
        contended(new Shape(4, 8, 1, WORK)),
        List.of());
  }

  private static Measuring contended(Shape shape) {
    return (stage, contender, settings) -> {
      Grants grants = stage.contend(contender, shape, settings.length());
      return shape.names() > 1
          ? Map.of("rate", grants.perSecond())
          : Map.of(
              "rate", grants.perSecond(),
              "p99 wait", grants.waitMillis(0.99),
              "min/max per thread", grants.evenness(),
              "in order", grants.inOrder(),
              "hand-over p50", grants.handOverMillis(0.5),
              "hand-over p99", grants.handOverMillis(0.99));
    };
  }

  private static Scenario handOver() {
    return new Scenario(
        "hand-over",
        "hand-over between two processes",
        List.of(P50_OVER, P99_OVER),
        List.of(LEASEHOLD, LEASEHOLD_FAIR, REDISSON, REDISSON_FAIR, SPRING),
        (stage, contender, settings) -> {
          Grants grants = stage.handOver(contender, settings.length());
          return Map.of(
              "hand-over p50", grants.handOverMillis(0.5),
              "hand-over p99", grants.handOverMillis(0.99));
        },
        List.of(
            Target.atMost("hand-over p50", 0.4).times(REDISSON).aim(0.22),
            Target.atMost("hand-over p99", 0.5).times(REDISSON).aim(0.3)));
  }

  private static Scenario held() {
    return new Scenario(
        "held",
        "20,000 held leases, in a renewal period",
        List.of(REQUESTS, COMMANDS, new Measure("threads", ""), new Measure("heap per lease", "B")),
        List.of(LEASEHOLD, REDISSON, SPRING),
        (stage, contender, settings) ->
            stage.alone(
                contender, settings.heldTtl(), child -> hold(stage, child, contender, settings)),
        List.of(
            Target.atMost("requests", 100),
            Target.atMost("commands", 42_000),
            Target.atMost("threads", 6),
            Target.atMost("heap per lease", 512)));
  }

  private static Map<String, Double> hold(
      Stage stage, ChildProcess child, Contender contender, Settings settings)
      throws InterruptedException {
    Task.Answer held = child.ask(Task.hold(contender, stage.newName(), settings.leases()));
    Clock.pause(settings.renewalPeriod());
    Duration watched = settings.renewalPeriod().multipliedBy(PERIODS);
    ServerCounts counts = stage.count(() -> Clock.pause(watched)).dividedBy(PERIODS);
    return Map.of(
        "requests", counts.requests(),
        "commands", counts.commands(),
        "threads", held.value("threads"),
        "heap per lease", held.value("heap"));
  }

  private static Scenario inside() {
    return new Scenario(
        "inside",
        "re-entry and isHeld",
        List.of(
            new Measure("re-entry, requests", ""),
            new Measure("re-entry", "us"),
            new Measure("isHeld, requests", ""),
            new Measure("isHeld", "us")),
        List.of(LEASEHOLD, REDISSON, SPRING),
        Inside::measure,
        List.of(
            Target.atMost("re-entry, requests", 0),
            Target.of("re-entry", Bound.AT_MOST, 1),
            Target.atMost("isHeld, requests", 0),
            Target.of("isHeld", Bound.AT_MOST, 1)));
  }
}
