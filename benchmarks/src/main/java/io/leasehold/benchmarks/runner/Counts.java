package io.leasehold.benchmarks.runner;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a server was asked.
 *
 * @param byMeasure how often, by the name of the measure
 */
public record Counts(Map<String, Double> byMeasure) {
  /** For each operation, period or second. */
  public Counts dividedBy(double operations) {
    return new Counts(
        byMeasure.entrySet().stream()
            .collect(
                Collectors.toMap(Map.Entry::getKey, e -> hundredths(e.getValue() / operations))));
  }

  /** A heartbeat of a connection among thousands of requests is none of their cost. */
  private static double hundredths(double value) {
    return Math.rint(value * 100) / 100;
  }

  /** Of one measure. */
  public double of(String measure) {
    return byMeasure.getOrDefault(measure, Double.NaN);
  }
}
