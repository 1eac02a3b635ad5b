package io.leasehold.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * One line of a report: what was measured a few times, and what it is held to.
 *
 * @param what what was measured
 * @param unit its unit
 * @param samples what each iteration measured
 * @param bound which side of the target is good
 * @param target meaningless without a bound
 */
record Figure(String what, String unit, List<Double> samples, Bound bound, double target) {
  /** Which side of a target is good. */
  enum Bound {
    /** Smaller is better. */
    AT_MOST,
    /** Larger is better. */
    AT_LEAST,
    /** There is no target. */
    NONE
  }

  Figure {
    samples = samples.stream().sorted().toList();
  }

  /** A figure that only explains another. */
  static Figure of(String what, String unit, List<Double> samples) {
    return new Figure(what, unit, samples, Bound.NONE, 0);
  }

  Figure atMost(double newTarget) {
    return new Figure(what, unit, samples, Bound.AT_MOST, newTarget);
  }

  Figure atLeast(double newTarget) {
    return new Figure(what, unit, samples, Bound.AT_LEAST, newTarget);
  }

  /** The median: an iteration that another process disturbed does not count. */
  double value() {
    return samples.isEmpty() ? Double.NaN : samples.get((samples.size() - 1) / 2);
  }

  /** The smallest and the largest sample. */
  private String range() {
    return samples.size() < 2
        ? ""
        : show(samples.get(0)) + " .. " + show(samples.get(samples.size() - 1));
  }

  /** Whether it missed its target. What is not a number misses any. */
  boolean isMissed() {
    return switch (bound) {
      case AT_MOST -> !(value() <= target);
      case AT_LEAST -> !(value() >= target);
      case NONE -> false;
    };
  }

  /** A line of a table. */
  String line() {
    String verdict = isMissed() ? "MISS" : "PASS";
    return switch (bound) {
      case AT_MOST -> line("<= " + show(target), verdict);
      case AT_LEAST -> line(">= " + show(target), verdict);
      case NONE -> line("", "");
    };
  }

  private String line(String held, String verdict) {
    return String.format(
            Locale.ROOT,
            "  %-50s %9s %-4s %-18s %8s  %s",
            what,
            show(value()),
            unit,
            range(),
            held,
            verdict)
        .stripTrailing();
  }

  /** Three digits, or all that stand before the point. */
  private static String show(double value) {
    double size = Math.abs(value);
    int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
