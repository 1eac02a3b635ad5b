package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Stage.Exclusion;
import java.util.List;
import java.util.Map;

/**
 * What came of a run.
 *
 * @param machine versions and the machine, by name
 * @param sections of each scenario
 * @param exclusions whether the locks excluded
 * @param failures what went wrong
 */
public record Report(
    Map<String, String> machine,
    List<Section> sections,
    Map<Contender, Exclusion> exclusions,
    List<String> failures) {

  /**
   * What came of a scenario.
   *
   * @param scenario which
   * @param lines what was measured
   * @param targets what of it is held to a target
   */
  public record Section(Scenario scenario, List<Line> lines, List<Figure> targets) {}

  /**
   * A measure, of all who have it.
   *
   * @param measure which
   * @param figures of each contender
   */
  public record Line(Scenario.Measure measure, Map<Contender, Figure> figures) {}

  /** How many targets were missed. */
  public long missed() {
    return sections.stream()
        .flatMap(section -> section.targets().stream())
        .filter(Figure::isMissed)
        .count();
  }

  /** Whether a target was missed, a lock did not exclude, or something failed. */
  public boolean isBad() {
    return missed() > 0
        || !failures.isEmpty()
        || exclusions.values().stream().anyMatch(exclusion -> exclusion.violations() > 0);
  }
}
