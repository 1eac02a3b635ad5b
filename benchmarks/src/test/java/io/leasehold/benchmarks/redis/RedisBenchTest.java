package io.leasehold.benchmarks.redis;

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
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scenarios run, for an instant: how often is asked, how fast is not. */
@Timeout(300)
class RedisBenchTest {
  private static final Settings INSTANT =
      new Settings(Duration.ofMillis(200), Duration.ofMillis(200), 20, 300, Duration.ofSeconds(3));

  private static Stage stage;

  @BeforeAll
  static void start() {
    stage = new Stage(RedisServers.start(RedisServer.Kind.REDIS_7_0));
  }

  @AfterAll
  static void stop() {
    if (stage != null) {
      stage.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "own-names",
        "one-process",
        "processes",
        "fair-process",
        "fair",
        "work",
        "hand-over"
      })
  void everyGrantExcludes(String name) throws Exception {
    Scenario scenario = scenario(name);
    assertExclusive(scenario, run(scenario));
  }

  private static void assertExclusive(Scenario scenario, Report report) {
    assertThat(report.exclusions()).containsOnlyKeys(scenario.contenders());
    for (Exclusion exclusion : report.exclusions().values()) {
      assertThat(exclusion.grants()).isPositive();
      assertThat(exclusion.violations()).isZero();
    }
  }

  @Test
  void aPairIsCountedAtTheServer() throws Exception {
    Scenario pair = scenario("pair");
    Report report = run(pair);
    assertExclusive(pair, report);
    Map<Contender, Figure> requests = figures(report, "requests");
    Map<Contender, Figure> commands = figures(report, "commands");
    assertThat(requests.get(RedisContender.JEDIS).value()).isEqualTo(2);
    assertThat(commands.get(RedisContender.JEDIS).value()).isEqualTo(4);
    // On a busy machine the others send heartbeats meanwhile, and ask again
    assertThat(requests.get(RedisContender.LETTUCE).value()).isGreaterThanOrEqualTo(2);
    assertThat(requests.get(RedisContender.REDISSON).value()).isGreaterThanOrEqualTo(3);
    assertThat(commands.get(RedisContender.REDISSON).value()).isGreaterThanOrEqualTo(12);
    assertThat(requests.get(RedisContender.SPRING).value()).isGreaterThanOrEqualTo(2);
    // A pair more than a third of the ttl long is renewed
    assertThat(requests.get(RedisContender.LEASEHOLD).value()).isBetween(2.0, 2.5);
    assertThat(commands.get(RedisContender.LEASEHOLD).value()).isLessThan(10);
  }

  @Test
  void heldLeasesAreRenewed() throws Exception {
    Report report = run(scenario("held"));
    assertThat(figures(report, "commands"))
        .hasSize(3)
        .allSatisfy((contender, commands) -> assertThat(commands.value()).isPositive());
    assertThat(figures(report, "requests").get(RedisContender.LEASEHOLD).value())
        .isPositive()
        .isLessThanOrEqualTo(30);
    // The timer, a connection's, and up to eight batches that are renewed at once
    assertThat(figures(report, "threads").get(RedisContender.LEASEHOLD).value())
        .isBetween(1.0, 12.0);
  }

  @Test
  void whoIsInsideAsksNobody() throws Exception {
    Report report = run(scenario("inside"));
    assertThat(figures(report, "re-entry, requests").get(RedisContender.LEASEHOLD).value())
        .isZero();
    assertThat(figures(report, "isHeld, requests").get(RedisContender.LEASEHOLD).value()).isZero();
    assertThat(figures(report, "isHeld, requests").get(RedisContender.REDISSON).value())
        .isGreaterThanOrEqualTo(1);
    assertThat(figures(report, "isHeld")).doesNotContainKey(RedisContender.SPRING);
  }

  private static Scenario scenario(String name) {
    return RedisScenarios.all().stream().filter(each -> each.name().equals(name)).findFirst().get();
  }

  private static Map<Contender, Figure> figures(Report report, String measure) {
    return report.sections().get(0).lines().stream()
        .filter(line -> line.measure().name().equals(measure))
        .findFirst()
        .get()
        .figures();
  }

  private static Report run(Scenario scenario) throws Exception {
    stage.exclusions().clear();
    Run run =
        new Run(stage, INSTANT, List.of(scenario), List.of(RedisContender.values()), line -> {});
    Results results = run.rounds(1);
    assertThat(run.failures()).isEmpty();
    return new Report(
        Map.of(),
        results.sections(List.of(scenario)),
        Map.copyOf(stage.exclusions()),
        run.failures());
  }
}
