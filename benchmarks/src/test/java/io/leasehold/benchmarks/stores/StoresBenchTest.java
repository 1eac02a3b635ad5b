package io.leasehold.benchmarks.stores;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.runner.Report;
import io.leasehold.benchmarks.runner.Run;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import java.io.StringReader;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** A short round on each store: that there are figures, not which. */
@Timeout(300)
class StoresBenchTest {
  /** Two locks of the slowest store take less, on a busy machine too. */
  private static final Settings SHORT =
      new Settings(Duration.ofSeconds(1), Duration.ofMillis(200), 0, 0, Duration.ZERO);

  @Test
  void everyStoreHasFiguresAndBars() throws Exception {
    Set<Store> all = EnumSet.allOf(Store.class);
    Report report = run(all, Set.of("pair", "low"));
    assertThat(report.exclusions()).containsOnlyKeys(all);
    for (Exclusion exclusion : report.exclusions().values()) {
      assertThat(exclusion.grants()).isPositive();
      assertThat(exclusion.violations()).isZero();
    }
    for (Report.Section section : report.sections()) {
      for (Report.Line line : section.lines()) {
        assertThat(line.figures()).as(line.measure().name()).containsOnlyKeys(all);
      }
    }
    Document picture = parse(new StoresSuite(all).drawing(report).orElseThrow());
    int panels = 3;
    assertThat(picture.getElementsByTagName("g").getLength()).isEqualTo(panels);
    // One of them is the background
    assertThat(picture.getElementsByTagName("rect").getLength()).isEqualTo(panels * all.size() + 1);
  }

  @Test
  void aKilledHoldersLockIsTakenOver() throws Exception {
    Report report = run(EnumSet.of(Store.FILE, Store.REDIS), Set.of("crash"));
    assertThat(report.sections().get(0).lines().get(0).figures())
        .containsOnlyKeys(Store.FILE, Store.REDIS)
        // Not before it was dead for two thirds of the ttl, or a pause of the machine less
        .allSatisfy((store, seconds) -> assertThat(seconds.value()).isGreaterThan(0.1));
  }

  @Test
  void argumentsAreChecked() {
    assertThat(StoresBench.exitCode("--only", "nothing")).isEqualTo(64);
    assertThat(StoresBench.exitCode("--stores", "nothing")).isEqualTo(64);
    assertThat(StoresBench.exitCode("--help")).isZero();
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static Report run(Set<Store> stores, Set<String> names) throws Exception {
    StoresSuite suite = new StoresSuite(stores);
    List<Scenario> scenarios =
        suite.scenarios().stream().filter(each -> names.contains(each.name())).toList();
    try (Stage stage = new Stage(suite.start())) {
      Run run = new Run(stage, SHORT, scenarios, suite.contenders(), line -> {});
      List<Report.Section> sections = run.rounds(1).sections(scenarios);
      assertThat(run.failures()).isEmpty();
      return new Report(Map.of(), sections, Map.copyOf(stage.exclusions()), run.failures());
    }
  }
}
