package io.leasehold.benchmarks.redis;

import static io.leasehold.benchmarks.redis.RedisContender.JEDIS;
import static io.leasehold.benchmarks.redis.RedisContender.LEASEHOLD;
import static io.leasehold.benchmarks.redis.RedisContender.LEASEHOLD_FAIR;
import static io.leasehold.benchmarks.redis.RedisContender.LETTUCE;
import static io.leasehold.benchmarks.redis.RedisContender.LIST;
import static io.leasehold.benchmarks.redis.RedisContender.MESSAGE;
import static io.leasehold.benchmarks.redis.RedisContender.NUMBERED;
import static io.leasehold.benchmarks.redis.RedisContender.REDISSON;
import static io.leasehold.benchmarks.redis.RedisContender.REDISSON_FAIR;
import static io.leasehold.benchmarks.redis.RedisContender.REENTRANT_LOCK;
import static io.leasehold.benchmarks.redis.RedisContender.SPRING;

import io.leasehold.benchmarks.runner.Measurings;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Stage.Shape;
import io.leasehold.benchmarks.runner.Target;
import java.time.Duration;
import java.util.List;

/** What is measured, and the targets. */
final class RedisScenarios {
  private static final Duration NOTHING = Duration.ZERO;
  private static final Duration WORK = Duration.ofMillis(1);

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

  private RedisScenarios() {}

  static List<Scenario> all() {
    return List.of(
        pair(),
        ownNames(),
        oneProcess(),
        processes(),
        fairProcess(),
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
        Measurings.pair(),
        List.of(
            Target.atMost(LEASEHOLD, "requests", 2),
            Target.atMost(LEASEHOLD, "commands", 9).aim(5),
            Target.atMost(LEASEHOLD, "median", 0.85).times(REDISSON).aim(0.72),
            Target.atMost(LEASEHOLD, "median", 1.2).times(JEDIS).aim(1.08)));
  }

  private static Scenario ownNames() {
    return new Scenario(
        "own-names",
        "64 threads, own names",
        List.of(RATE),
        List.of(LEASEHOLD, REDISSON, SPRING, JEDIS, LETTUCE),
        Measurings.contended(new Shape(1, 64, 64, NOTHING)),
        List.of(
            Target.atLeast(LEASEHOLD, "rate", 3).times(REDISSON).aim(5),
            Target.atLeast(LEASEHOLD, "rate", 0.8).times(JEDIS),
            Target.atLeast(LEASEHOLD, "rate", Double.NaN).times(LETTUCE).aim(1.2)));
  }

  private static Scenario oneProcess() {
    return new Scenario(
        "one-process",
        "32 threads of one process, one name",
        LOCAL,
        List.of(LEASEHOLD, REDISSON, SPRING, REENTRANT_LOCK),
        Measurings.contended(new Shape(1, 32, 1, NOTHING)),
        List.of(
            Target.atLeast(LEASEHOLD, "rate", 12).times(REDISSON),
            Target.atLeast(LEASEHOLD, "rate", 0.5).times(REENTRANT_LOCK).aim(0.9),
            Target.atMost(LEASEHOLD, "p99 wait", 5)));
  }

  private static Scenario processes() {
    return new Scenario(
        "processes",
        "4 processes x 8 threads, one name",
        REMOTE,
        List.of(LEASEHOLD, REDISSON, SPRING),
        Measurings.contended(new Shape(4, 8, 1, NOTHING)),
        List.of(
            Target.atLeast(LEASEHOLD, "rate", 60).times(REDISSON).aim(120),
            Target.atLeast(LEASEHOLD, "min/max per thread", 0.9),
            Target.atMost(LEASEHOLD, "p99 wait", 45).aim(10)));
  }

  private static Scenario fairProcess() {
    return new Scenario(
        "fair-process",
        "32 threads of one process, one name, fair",
        List.of(RATE, P99, EVENNESS, ORDER),
        List.of(LEASEHOLD_FAIR, REDISSON_FAIR),
        Measurings.contended(new Shape(1, 32, 1, NOTHING)),
        List.of(
            Target.atLeast(LEASEHOLD_FAIR, "rate", 20).times(REDISSON_FAIR),
            Target.atLeast(LEASEHOLD_FAIR, "in order", 0.99)));
  }

  private static Scenario fair() {
    return new Scenario(
        "fair",
        "4 processes x 8 threads, one name, fair",
        REMOTE,
        List.of(LEASEHOLD_FAIR, REDISSON_FAIR, LIST, MESSAGE, NUMBERED),
        Measurings.contended(new Shape(4, 8, 1, NOTHING)),
        List.of(
            Target.atLeast(LEASEHOLD_FAIR, "rate", 12).times(REDISSON_FAIR).aim(25),
            Target.atLeast(LEASEHOLD_FAIR, "min/max per thread", 0.97),
            Target.atLeast(LEASEHOLD_FAIR, "in order", 0.99),
            Target.atMost(LEASEHOLD_FAIR, "p99 wait", Double.NaN).aim(20)));
  }

  private static Scenario work() {
    return new Scenario(
        "work",
        "4 processes x 8 threads, one name, 1 ms inside",
        REMOTE,
        List.of(LEASEHOLD, LEASEHOLD_FAIR, REDISSON, REDISSON_FAIR, SPRING),
        Measurings.contended(new Shape(4, 8, 1, WORK)),
        List.of());
  }

  private static Scenario handOver() {
    return new Scenario(
        "hand-over",
        "hand-over between two processes",
        List.of(P50_OVER, P99_OVER, new Measure("warm p50", "ms")),
        List.of(
            LEASEHOLD, LEASEHOLD_FAIR, REDISSON, REDISSON_FAIR, SPRING, LIST, MESSAGE, NUMBERED),
        Measurings.handOverColdAndWarm(),
        List.of(
            Target.atMost(LEASEHOLD, "hand-over p50", 0.35).times(REDISSON).aim(0.22),
            Target.atMost(LEASEHOLD, "hand-over p50", 1.5).times(LIST),
            Target.atMost(LEASEHOLD, "hand-over p99", 0.5).times(REDISSON).aim(0.3),
            Target.atMost(LEASEHOLD, "warm p50", 0.35).times(REDISSON).aim(0.22),
            Target.atMost(LEASEHOLD, "warm p50", 1.5).times(LIST)));
  }

  private static Scenario held() {
    return new Scenario(
        "held",
        "20,000 held leases, in a renewal period",
        List.of(REQUESTS, COMMANDS, new Measure("threads", ""), new Measure("heap per lease", "B")),
        List.of(LEASEHOLD, REDISSON, SPRING),
        Measurings.held(),
        List.of(
            Target.atMost(LEASEHOLD, "requests", 100),
            Target.atMost(LEASEHOLD, "commands", 42_000),
            Target.atMost(LEASEHOLD, "threads", 6),
            Target.atMost(LEASEHOLD, "heap per lease", 512)));
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
        InsideScenario::measure,
        List.of(
            Target.atMost(LEASEHOLD, "re-entry, requests", 0),
            Target.atMost(LEASEHOLD, "re-entry", 1),
            Target.atMost(LEASEHOLD, "isHeld, requests", 0),
            Target.atMost(LEASEHOLD, "isHeld", 1)));
  }
}
