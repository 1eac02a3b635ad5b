package io.leasehold.benchmarks.runner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Rounds, in each of which every contender is measured in every scenario. */
public final class Run {
  private final Stage stage;
  private final Settings settings;
  private final List<Scenario> scenarios;
  private final Collection<? extends Contender> contenders;
  private final Consumer<String> progress;
  private final long begin = Clock.nanos();
  private final Results results = new Results();
  private final List<String> failures = new ArrayList<>();

  /** To be run. */
  public Run(
      Stage stage,
      Settings settings,
      List<Scenario> scenarios,
      Collection<? extends Contender> contenders,
      Consumer<String> progress) {
    this.stage = stage;
    this.settings = settings;
    this.scenarios = scenarios;
    this.contenders = contenders;
    this.progress = progress;
  }

  /** Measures everything once, so that all is compiled and connected, and forgets it. */
  public void warmUp() throws InterruptedException {
    for (Scenario scenario : scenarios) {
      if (scenario.warmedUp()) {
        for (Contender contender : taking(scenario, 0)) {
          measure("warm-up", scenario, contender, settings.warmingUp());
        }
      }
    }
    failures.clear();
    stage.exclusions().clear();
  }

  /** Measures everything, in another order each time. */
  public Results rounds(int rounds) throws InterruptedException {
    for (int round = 0; round < rounds; round++) {
      for (Scenario scenario : scenarios) {
        for (Contender contender : taking(scenario, round)) {
          String when = "round " + (round + 1) + " of " + rounds;
          results.add(scenario, contender, measure(when, scenario, contender, settings));
        }
      }
    }
    return results;
  }

  /** What went wrong, a line each. */
  public List<String> failures() {
    return failures;
  }

  private List<Contender> taking(Scenario scenario, int round) {
    List<Contender> taking =
        new ArrayList<>(scenario.contenders().stream().filter(contenders::contains).toList());
    Collections.rotate(taking, round);
    return taking;
  }

  /** Returns nothing where it failed. Who failed begins anew. */
  private Map<String, Double> measure(
      String when, Scenario scenario, Contender contender, Settings with)
      throws InterruptedException {
    String what = when + ", " + scenario.name() + ", " + contender.title();
    long seconds = Duration.ofNanos(Clock.nanos() - begin).toSeconds();
    progress.accept("bench: " + seconds + " s  " + what);
    try {
      return scenario.measuring().measure(stage, contender, with);
    } catch (RuntimeException e) {
      failures.add(what + ": " + String.valueOf(e.getMessage()).replace("\n", "; "));
      progress.accept("bench: failed: " + e.getMessage());
      stage.fleet().stop(contender.library());
      return Map.of();
    }
  }
}
