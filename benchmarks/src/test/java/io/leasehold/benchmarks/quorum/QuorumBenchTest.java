package io.leasehold.benchmarks.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Run;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scenarios run, for an instant: how often is asked, how fast is not. */
@Timeout(300)
class QuorumBenchTest {
  /** What one server does, RedisBenchTest sees. */
  private static final QuorumContender[] OVER_ALL = {
    QuorumContender.QUORUM,
    QuorumContender.QUORUM_LETTUCE,
    QuorumContender.REDISSON,
    QuorumContender.SOCKETS
  };

  @Test
  void everyGrantExcludesAndRequestsOfAllServersAreCounted() throws Exception {
    Report report = run();
    assertThat(report.exclusions()).containsOnlyKeys(OVER_ALL);
    for (Exclusion exclusion : report.exclusions().values()) {
      assertThat(exclusion.grants()).isPositive();
      assertThat(exclusion.violations()).isZero();
    }
    Map<Contender, Figure> requests =
        report.sections().get(0).lines().stream()
            .filter(line -> line.measure().name().equals("requests"))
            .findFirst()
            .get()
            .figures();
    // Of a majority, or of all where it is slower; and a withdrawal, or two, where the release came
    // before the answer to the attempt
    assertThat(requests.get(QuorumContender.QUORUM).value()).isBetween(3.8, 12.0);
    assertThat(requests.get(QuorumContender.QUORUM_LETTUCE).value()).isBetween(3.8, 12.0);
    assertThat(requests.get(QuorumContender.REDISSON).value()).isGreaterThanOrEqualTo(6);
    assertThat(requests.get(QuorumContender.SOCKETS).value()).isEqualTo(4);
  }

  @Test
  void argumentsAreChecked() {
    assertThat(QuorumBench.exitCode("--only", "nothing")).isEqualTo(64);
    assertThat(QuorumBench.exitCode("--rounds", "0")).isEqualTo(64);
    assertThat(QuorumBench.exitCode("--seconds", "0")).isEqualTo(64);
    assertThat(QuorumBench.exitCode("--warm-up", "-1")).isEqualTo(64);
    assertThat(QuorumBench.exitCode("--help")).isZero();
  }

  private static Report run() throws Exception {
    QuorumSuite suite = QuorumSuite.REDIS;
    List<Scenario> scenarios = suite.scenarios();
    Duration length = Duration.ofMillis(200);
    Settings instant = new Settings(length, length, 20, 100, suite.settings(length).heldTtl());
    try (Stage stage = new Stage(suite.start())) {
      Run run = new Run(stage, instant, scenarios, List.of(OVER_ALL), line -> {});
      List<Report.Section> sections = run.rounds(1).sections(scenarios);
      assertThat(run.failures()).isEmpty();
      return new Report(Map.of(), sections, Map.copyOf(stage.exclusions()), run.failures());
    }
  }
}
