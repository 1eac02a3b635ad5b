package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What every round measured. */
public final class Results {
  private final Map<Key, List<Double>> samples = new HashMap<>();

  private record Key(String scenario, Contender contender, String measure) {}

  /** Adds what a round measured; nothing of a round that failed. */
  public void add(Scenario scenario, Contender contender, Map<String, Double> measured) {
    for (Scenario.Measure measure : scenario.measures()) {
      Key key = new Key(scenario.name(), contender, measure.name());
      samples
          .computeIfAbsent(key, any -> new ArrayList<>())
          .add(measured.getOrDefault(measure.name(), Double.NaN));
    }
  }

  /** All of it, in order. */
  public List<Report.Section> sections(List<Scenario> scenarios) {
    return scenarios.stream().map(this::section).toList();
  }

  private Report.Section section(Scenario scenario) {
    List<Report.Line> lines = new ArrayList<>();
    for (Scenario.Measure measure : scenario.measures()) {
      Map<Contender, Figure> figures = new HashMap<>();
      for (Contender contender : scenario.contenders()) {
        figure(scenario, contender, measure).ifPresent(each -> figures.put(contender, each));
      }
      lines.add(new Report.Line(measure, figures));
    }
    List<Figure> targets =
        scenario.targets().stream().flatMap(each -> figure(scenario, each).stream()).toList();
    return new Report.Section(scenario, lines, targets);
  }

  /** Of each round, in order; not a number where it failed. */
  private List<Double> rounds(Scenario scenario, Contender contender, String measure) {
    return samples.getOrDefault(new Key(scenario.name(), contender, measure), List.of());
  }

  /** What a contender has of a measure, if it has any. */
  private Optional<Figure> figure(
      Scenario scenario, Contender contender, Scenario.Measure measure) {
    return figure(contender.title(), measure.unit(), rounds(scenario, contender, measure.name()));
  }

  /** A target and what came of it, if all who are needed took part. */
  private Optional<Figure> figure(Scenario scenario, Target target) {
    List<Double> mine = rounds(scenario, target.whose(), target.measure());
    String what = target.measure();
    if (target.against().isEmpty()) {
      return figure(what, unit(scenario, target), mine).map(target::judge);
    }
    Contender other = target.against().orElseThrow();
    List<Double> theirs = rounds(scenario, other, target.measure());
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
      ratios.add(mine.get(i) / theirs.get(i));
    }
    return figure(what + " / " + other.title(), "x", ratios).map(target::judge);
  }

  private static String unit(Scenario scenario, Target target) {
    return scenario.measures().stream()
        .filter(measure -> measure.name().equals(target.measure()))
        .findFirst()
        .orElseThrow()
        .unit();
  }

  private static Optional<Figure> figure(String what, String unit, List<Double> rounds) {
    List<Double> valid = rounds.stream().filter(sample -> !sample.isNaN()).toList();
    return valid.isEmpty() ? Optional.empty() : Optional.of(Figure.of(what, unit, valid));
  }
}
