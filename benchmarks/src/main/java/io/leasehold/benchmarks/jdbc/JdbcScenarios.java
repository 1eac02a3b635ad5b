package io.leasehold.benchmarks.jdbc;

import static io.leasehold.benchmarks.jdbc.JdbcContender.ADVISORY;
import static io.leasehold.benchmarks.jdbc.JdbcContender.LEASE;
import static io.leasehold.benchmarks.jdbc.JdbcContender.NOTIFY;
import static io.leasehold.benchmarks.jdbc.JdbcContender.NUMBERED;
import static io.leasehold.benchmarks.jdbc.JdbcContender.SESSION;
import static io.leasehold.benchmarks.jdbc.JdbcContender.SHEDLOCK;
import static io.leasehold.benchmarks.jdbc.JdbcContender.SPRING;
import static io.leasehold.benchmarks.jdbc.JdbcContender.UPDATES;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Measurings;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Stage.Shape;
import io.leasehold.benchmarks.runner.Target;
import java.time.Duration;
import java.util.List;

/** What is measured, and the targets. */
final class JdbcScenarios {
  private static final Measure STATEMENTS = new Measure("statements", "");
  private static final Measure RATE = new Measure("rate", "/s");
  private static final Measure P99 = new Measure("p99 wait", "ms");
  private static final Measure EVENNESS = new Measure("min/max per thread", "");
  private static final Measure FEWEST = new Measure("fewest of a thread", "");
  private static final Measure P50_OVER = new Measure("hand-over p50", "ms");
  private static final Measure P99_OVER = new Measure("hand-over p99", "ms");

  private JdbcScenarios() {}

  static List<Scenario> of(Database database) {
    return List.of(pair(), oneProcess(), processes(), handOver(database), longWait(), held());
  }

  private static Scenario pair() {
    return new Scenario(
        "pair",
        "uncontended lock and unlock",
        List.of(STATEMENTS, new Measure("median", "us")),
        List.of(LEASE, SESSION, SPRING, SHEDLOCK, ADVISORY, UPDATES),
        Measurings.pair(),
        List.of(
            Target.atMost(LEASE, "median", 1.15).times(UPDATES),
            Target.atMost(LEASE, "median", 0.5).times(SPRING).aim(0.4)));
  }

  private static Scenario oneProcess() {
    return new Scenario(
        "one-process",
        "32 threads of one process, one name",
        List.of(RATE, P99, EVENNESS),
        List.of(LEASE, SESSION, SPRING),
        Measurings.contended(new Shape(1, 32, 1, Duration.ZERO)),
        List.of(Target.atLeast(LEASE, "rate", 12).times(SPRING).aim(25)));
  }

  private static Scenario processes() {
    return new Scenario(
        "processes",
        "4 processes x 8 threads, one name",
        List.of(RATE, P99, EVENNESS, FEWEST, P50_OVER, P99_OVER),
        List.of(LEASE, SESSION, SPRING),
        Measurings.contended(new Shape(4, 8, 1, Duration.ZERO)),
        List.of(
            Target.atLeast(LEASE, "rate", 8).times(SPRING).aim(20),
            Target.atLeast(LEASE, "fewest of a thread", 1)));
  }

  private static Scenario handOver(Database database) {
    boolean isToldOf = database == Database.POSTGRESQL;
    return new Scenario(
        "hand-over",
        "hand-over between two processes",
        List.of(P50_OVER, P99_OVER),
        isToldOf
            ? List.of(LEASE, SESSION, SPRING, ADVISORY, NUMBERED, NOTIFY)
            : List.of(LEASE, SESSION, SPRING, ADVISORY, NUMBERED),
        Measurings.handOver(),
        List.of(
            isToldOf
                ? Target.atMost(LEASE, "hand-over p50", 1.5).times(NOTIFY)
                : Target.atMost(LEASE, "hand-over p50", 10).times(ADVISORY).aim(3),
            Target.atMost(SESSION, "hand-over p50", 1.5).times(ADVISORY),
            Target.atMost(SESSION, "hand-over p50", Double.NaN).times(NUMBERED)));
  }

  private static Scenario longWait() {
    return new Scenario(
        "long-wait",
        "hand-over to who has waited for half a second",
        List.of(P50_OVER, LongWait.STATEMENTS),
        List.of(LEASE, SESSION, ADVISORY),
        LongWait::measure,
        List.of(
            Target.atMost(LEASE, "hand-over p50", Double.NaN).times(ADVISORY),
            Target.atMost(LEASE, LongWait.STATEMENTS.name(), 50)));
  }

  private static Scenario held() {
    return new Scenario(
        "held",
        "10,000 held leases, in a renewal period",
        List.of(STATEMENTS, new Measure("threads", ""), new Measure("heap per lease", "B")),
        List.<Contender>of(LEASE, SESSION),
        Measurings.held(),
        List.of(Target.atMost(LEASE, "statements", 20)));
  }
}
