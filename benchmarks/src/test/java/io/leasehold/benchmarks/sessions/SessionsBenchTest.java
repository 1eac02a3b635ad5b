package io.leasehold.benchmarks.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Run;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import io.leasehold.benchmarks.runner.Tables;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scenarios run, for an instant: how often is asked, how fast is not. */
@Timeout(300)
class SessionsBenchTest {
  private static final int LEASES = 100;

  /** Without the hand-over, which takes as long as its waits; the last of three kinds has one. */
  @ParameterizedTest
  @EnumSource
  void everyGrantExcludesAndRequestsAreCounted(SessionsSuite suite) throws Exception {
    List<Scenario> scenarios =
        suite.scenarios().stream()
            .filter(each -> suite == SessionsSuite.CONSUL || !each.name().equals("hand-over"))
            .toList();
    Report report = run(suite, scenarios);
    assertThat(report.exclusions()).containsOnlyKeys(suite.contenders());
    for (Exclusion exclusion : report.exclusions().values()) {
      assertThat(exclusion.grants()).isPositive();
      assertThat(exclusion.violations()).isZero();
    }
    Map<Contender, Figure> pair = requests(report, "pair");
    pair.forEach(
        (contender, requests) ->
            // On a busy machine a session's beat comes between
            assertThat(requests.value())
                .as(contender.title())
                .isBetween(least(suite, contender), least(suite, contender) + 0.9));
    // A read for each 50, in a third of the ttl, and beats
    assertThat(requests(report, "held").get(SessionsContender.LEASEHOLD).value())
        .isBetween(1.0, LEASES / 2.0);
    assertEveryTargetHasAFigure(report);
    assertThat(Tables.markdown(report))
        .contains("uncontended lock and unlock", "32 threads of one process");
  }

  private static double least(SessionsSuite suite, Contender contender) {
    return contender == SessionsContender.JETCD_OWN ? 4 : suite == SessionsSuite.ZOOKEEPER ? 3 : 2;
  }

  private static void assertEveryTargetHasAFigure(Report report) {
    for (Report.Section section : report.sections()) {
      assertThat(section.targets())
          .as(section.scenario().name())
          .hasSameSizeAs(section.scenario().targets());
      assertThat(section.targets()).allMatch(figure -> !figure.verdict().isEmpty());
    }
  }

  @ParameterizedTest
  @EnumSource
  void argumentsAreChecked(SessionsSuite suite) {
    assertThat(SessionsBench.exitCode(suite, "--only", "nothing")).isEqualTo(64);
    assertThat(SessionsBench.exitCode(suite, "--help")).isZero();
  }

  private static Map<Contender, Figure> requests(Report report, String scenario) {
    return report.sections().stream()
        .filter(section -> section.scenario().name().equals(scenario))
        .flatMap(section -> section.lines().stream())
        .filter(line -> line.measure().name().equals("requests"))
        .findFirst()
        .get()
        .figures();
  }

  /** A grant falls into each of the short times, however busy the disk is. */
  private static Server start(SessionsSuite suite) {
    return suite == SessionsSuite.ZOOKEEPER
        ? SessionsServers.zooKeeperWithoutSync()
        : suite.start();
  }

  private static Report run(SessionsSuite suite, List<Scenario> scenarios) throws Exception {
    Duration length = Duration.ofMillis(500);
    Settings instant = new Settings(length, length, 20, LEASES, suite.settings(length).heldTtl());
    try (Stage stage = new Stage(start(suite))) {
      Run run = new Run(stage, instant, scenarios, suite.contenders(), line -> {});
      // A process that still connects when its half second begins may have no grant in it
      run.warmUp();
      List<Report.Section> sections = run.rounds(1).sections(scenarios);
      assertThat(run.failures()).isEmpty();
      return new Report(Map.of(), sections, Map.copyOf(stage.exclusions()), run.failures());
    }
  }
}
