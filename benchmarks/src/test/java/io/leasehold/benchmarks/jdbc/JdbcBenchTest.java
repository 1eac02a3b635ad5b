package io.leasehold.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Results;
import io.leasehold.benchmarks.runner.Run;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A round of an instant: how often is asked, and that locks exclude; how fast is not looked at. */
@Timeout(300)
class JdbcBenchTest {
  private static final JdbcSuite SUITE =
      new JdbcSuite(Database.POSTGRESQL, JdbcLibrary.hasSessions());

  private static final Settings INSTANT =
      new Settings(Duration.ofMillis(100), Duration.ofMillis(100), 20, 100, Duration.ofSeconds(1));

  /** On a machine that does much else a hand-over may take longer than an instant. */
  private static final Settings A_MOMENT =
      new Settings(Duration.ofSeconds(4), Duration.ofSeconds(1), 20, 100, Duration.ofSeconds(1));

  private static Stage stage;

  @BeforeAll
  static void start() {
    stage = new Stage(SUITE.start());
  }

  @AfterAll
  static void stop() {
    if (stage != null) {
      stage.close();
    }
  }

  @Test
  void aRoundOfThreadsOnOneServer() throws Exception {
    Report report = run(INSTANT, List.of("pair", "one-process"), SUITE.contenders());
    // A number and to be told are of use only between processes.
    assertExclusive(report, SUITE.contenders().size() - 2);
    assertPairs(figures(report, "pair", "statements"));
  }

  @Test
  void aRoundOfProcessesOnOneServer() throws Exception {
    List<JdbcContender> few =
        List.of(
            JdbcContender.LEASE,
            JdbcContender.ADVISORY,
            JdbcContender.NUMBERED,
            JdbcContender.NOTIFY);
    Report report = run(A_MOMENT, List.of("hand-over", "held"), few);
    assertExclusive(report, 4);
    assertThat(figures(report, "hand-over", "hand-over p50")).hasSize(4);
    assertThat(figures(report, "held", "statements").get(JdbcContender.LEASE).value())
        .isPositive()
        .isLessThanOrEqualTo(20);
  }

  private static Report run(
      Settings settings, List<String> names, List<? extends Contender> contenders)
      throws InterruptedException {
    List<Scenario> scenarios =
        SUITE.scenarios().stream().filter(each -> names.contains(each.name())).toList();
    stage.exclusions().clear();
    Run run = new Run(stage, settings, scenarios, contenders, line -> {});
    Results results = run.rounds(1);
    assertThat(run.failures()).isEmpty();
    return new Report(
        Map.of(), results.sections(scenarios), Map.copyOf(stage.exclusions()), run.failures());
  }

  private static void assertExclusive(Report report, int contenders) {
    assertThat(report.exclusions()).hasSize(contenders);
    for (Exclusion exclusion : report.exclusions().values()) {
      assertThat(exclusion.grants()).isPositive();
      assertThat(exclusion.violations()).isZero();
    }
  }

  /**
   * The sweep, and what a driver asks on a new connection, are a little more, of so few pairs; less
   * than a statement each.
   */
  private static void assertPairs(Map<Contender, Figure> statements) {
    assertThat(statements.get(JdbcContender.ADVISORY).value()).isEqualTo(2);
    assertThat(statements.get(JdbcContender.UPDATES).value()).isBetween(2.0, 2.9);
    assertThat(statements.get(JdbcContender.LEASE).value()).isBetween(2.0, 2.9);
    assertThat(statements.get(JdbcContender.SPRING).value()).isGreaterThan(4);
    assertThat(statements.get(JdbcContender.SHEDLOCK).value()).isGreaterThanOrEqualTo(4);
  }

  @Test
  void everyServerHasItsTargets() {
    for (Database database : Database.values()) {
      List<? extends Contender> all = new JdbcSuite(database, true).contenders();
      for (Scenario scenario : JdbcScenarios.of(database)) {
        List<String> measures = scenario.measures().stream().map(Scenario.Measure::name).toList();
        assertThat(all).map(Contender::name).containsAll(names(scenario.contenders().stream()));
        scenario
            .targets()
            .forEach(
                target -> {
                  assertThat(measures).contains(target.measure());
                  assertThat(scenario.contenders())
                      .containsAll(
                          Stream.concat(Stream.of(target.whose()), target.against().stream())
                              .toList());
                });
      }
    }
  }

  private static List<String> names(Stream<Contender> contenders) {
    return contenders.map(Contender::name).toList();
  }

  private static Map<Contender, Figure> figures(Report report, String scenario, String measure) {
    return report.sections().stream()
        .filter(section -> section.scenario().name().equals(scenario))
        .flatMap(section -> section.lines().stream())
        .filter(line -> line.measure().name().equals(measure))
        .findFirst()
        .orElseThrow()
        .figures();
  }
}
