package io.leasehold.benchmarks.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Results;
import io.leasehold.benchmarks.runner.Run;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A round of an instant: what is asked for is counted; how fast is not looked at. */
@Timeout(300)
class IdempotencyBenchTest {
  private static final Settings INSTANT =
      new Settings(Duration.ofMillis(100), Duration.ofMillis(100), 20, 0, Duration.ofSeconds(30));

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "REDIS"})
  void callsAreCountedAtTheServer(IdempotencySuite suite) throws Exception {
    Report.Section calls = run(suite, "calls");
    assertThat(calls.targets()).hasSize(2);
    for (IdempotencyContender contender :
        List.of(IdempotencyContender.LEASEHOLD, IdempotencyContender.BARE)) {
      // A pool may ask a connection that nothing used meanwhile whether it lives
      assertThat(figure(calls, 0, contender)).isBetween(2.0, 2.9);
      assertThat(figure(calls, 1, contender)).isBetween(1.0, 1.9);
    }
    assertThat(figure(calls, 0, IdempotencyContender.SPRING)).isGreaterThanOrEqualTo(2);
    assertThat(figure(calls, 1, IdempotencyContender.SPRING)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void noUpdateOfARowIsLost() throws Exception {
    Report.Section writers = run(IdempotencySuite.POSTGRESQL, "writers");
    assertThat(writers.lines()).hasSize(12);
    // A round in which an update was lost failed, and has no figures
    for (Report.Line line : writers.lines().subList(0, 6)) {
      assertThat(line.figures()).as(line.measure().name()).hasSize(3);
    }
    assertThat(figure(writers, 6, IdempotencyContender.VERSION)).isEqualTo(1);
  }

  @Test
  void argumentsAreChecked() {
    assertThat(IdempotencyBench.exitCode("--only", "nothing")).isEqualTo(64);
    assertThat(IdempotencyBench.exitCode("--server", "nothing")).isEqualTo(64);
    assertThat(IdempotencyBench.exitCode("--help")).isZero();
  }

  private static Report.Section run(IdempotencySuite suite, String name)
      throws InterruptedException {
    List<Scenario> scenarios =
        suite.scenarios().stream().filter(each -> each.name().equals(name)).toList();
    try (Stage stage = new Stage(suite.start())) {
      Run run = new Run(stage, INSTANT, scenarios, suite.contenders(), line -> {});
      Results results = run.rounds(1);
      assertThat(run.failures()).isEmpty();
      return new Report(Map.of(), results.sections(scenarios), Map.of(), List.of())
          .sections()
          .get(0);
    }
  }

  private static double figure(Report.Section section, int line, IdempotencyContender contender) {
    return section.lines().get(line).figures().get(contender).value();
  }
}
