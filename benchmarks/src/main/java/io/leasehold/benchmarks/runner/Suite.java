package io.leasehold.benchmarks.runner;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is measured on one kind of server. */
public interface Suite {
  /** What {@code --server} calls the server. */
  String name();

  /** Starts private servers; where there is no program for it, says so. */
  Server start();

  /** What is measured, and the targets. */
  List<Scenario> scenarios();

  /** Who may take part. */
  List<? extends Contender> contenders();

  /** Whether the run draws a plot of a scenario. */
  default boolean isDrawn(Scenario scenario) {
    return false;
  }

  /** A picture of the whole run in SVG, if there is one. */
  default Optional<String> drawing(Report report) {
    return Optional.empty();
  }

  /** How much is measured, so that the targets are about it. */
  Settings settings(Duration length);
}
