package io.leasehold.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.JsonReport;
import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Results;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import io.leasehold.benchmarks.runner.Tables;
import io.leasehold.benchmarks.runner.Target;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of what was measured; here every round measures 2 of everything. */
class ReportTest {
  private static Report report() {
    Results results = new Results();
    for (Scenario scenario : RedisScenarios.all()) {
      for (Contender contender : scenario.contenders()) {
        Map<String, Double> measured = new HashMap<>();
        scenario.measures().forEach(measure -> measured.put(measure.name(), 2.0));
        results.add(scenario, contender, measured);
        results.add(scenario, contender, Map.of()); // it failed
      }
    }
    Map<Contender, Exclusion> exclusions = Map.of(RedisContender.LEASEHOLD, new Exclusion(100, 0));
    return new Report(
        Map.of("server", "a"), results.sections(RedisScenarios.all()), exclusions, List.of());
  }

  @Test
  void everyTargetHasAFigure() {
    Report report = report();
    for (Report.Section section : report.sections()) {
      List<Target> targets = section.scenario().targets();
      assertThat(section.targets()).as(section.scenario().name()).hasSameSizeAs(targets);
      for (int i = 0; i < targets.size(); i++) {
        Figure figure = section.targets().get(i);
        assertThat(figure.value()).isEqualTo(targets.get(i).against().isPresent() ? 1 : 2);
        assertThat(figure.samples()).hasSize(1);
        assertThat(figure.verdict()).isNotEmpty();
      }
    }
    assertThat(report.missed()).isPositive();
    assertThat(report.isBad()).isTrue();
  }

  @Test
  void aViolationOrAFailureIsBad() {
    Map<Contender, Exclusion> broken = Map.of(RedisContender.SPRING, new Exclusion(100, 1));
    assertThat(new Report(Map.of(), List.of(), Map.of(), List.of()).isBad()).isFalse();
    assertThat(new Report(Map.of(), List.of(), broken, List.of()).isBad()).isTrue();
    assertThat(new Report(Map.of(), List.of(), Map.of(), List.of("it fell")).isBad()).isTrue();
  }

  @Test
  void itIsWrittenInThreeWays() {
    Report report = report();
    assertThat(Tables.text(report))
        .contains("server: a", "hand-over between two processes", "0 violations", "targets missed");
    assertThat(Tables.markdown(report).lines())
        .contains("- server: a")
        .anyMatch(line -> line.matches("\\|---\\|(---:\\|)+"))
        .anyMatch(line -> line.startsWith("| **re-entry and isHeld**"));
    JsonObject json =
        JsonParser.parseString(new JsonReport(List.of(report)).write())
            .getAsJsonArray()
            .get(0)
            .getAsJsonObject();
    assertThat(json.getAsJsonArray("scenarios")).hasSameSizeAs(RedisScenarios.all());
  }
}
