package io.leasehold.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * One line of a report: what was measured a few times, and what it is held to.
 *
 * @param what what was measured
 * @param unit its unit
 * @param samples what each iteration measured, in their order
 * @param bound which side of the target is good
 * @param target meaningless without a bound; not a number if only an aim is set
 * @param aim better than the target; not a number if none is set
 */
public record Figure(
    String what, String unit, List<Double> samples, Bound bound, double target, double aim) {
  /** Which side of a target is good. */
  public enum Bound {
    /** Smaller is better. */
    AT_MOST,
    /** Larger is better. */
    AT_LEAST,
    /** There is no target. */
    NONE
  }

  /** Copies the samples. */
  public Figure {
    samples = List.copyOf(samples);
  }

  /** A figure that only explains another. */
  public static Figure of(String what, String unit, List<Double> samples) {
    return new Figure(what, unit, samples, Bound.NONE, Double.NaN, Double.NaN);
  }

  Figure atMost(double newTarget) {
    return new Figure(what, unit, samples, Bound.AT_MOST, newTarget, aim);
  }

  Figure atLeast(double newTarget) {
    return new Figure(what, unit, samples, Bound.AT_LEAST, newTarget, aim);
  }

  /** The median: an iteration that another process disturbed does not count. */
  public double value() {
    return ranked((samples.size() - 1) / 2);
  }

  /** The smallest sample. */
  public double least() {
    return ranked(0);
  }

  /** The largest sample. */
  public double most() {
    return ranked(samples.size() - 1);
  }

  private double ranked(int rank) {
    return samples.isEmpty() ? Double.NaN : samples.stream().sorted().toList().get(rank);
  }

  /** The smallest and the largest sample. */
  public String range() {
    return samples.size() < 2 ? "" : show(least()) + " .. " + show(most());
  }

  boolean hasTarget() {
    return bound != Bound.NONE;
  }

  /** Whether it missed its target. What is not a number misses any. */
  public boolean isMissed() {
    return !Double.isNaN(target) && !reaches(target);
  }

  private boolean reaches(double goal) {
    return switch (bound) {
      case AT_MOST -> value() <= goal;
      case AT_LEAST -> value() >= goal;
      case NONE -> true;
    };
  }

  /** The target as it is written, or nothing. */
  public String must() {
    return goal(target);
  }

  /** The aim as it is written, or nothing. */
  public String aimed() {
    return goal(aim);
  }

  private String goal(double goal) {
    return Double.isNaN(goal) ? "" : (bound == Bound.AT_MOST ? "<= " : ">= ") + show(goal);
  }

  /** PASS or MISS, and whether the aim was reached; nothing where there is neither. */
  public String verdict() {
    String verdict = Double.isNaN(target) ? "" : isMissed() ? "MISS" : "PASS";
    return Double.isNaN(aim) ? verdict : (verdict + (reaches(aim) ? " aim" : " no aim")).strip();
  }

  /** A line of a table. */
  String line() {
    return line(must(), verdict());
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
  public static String show(double value) {
    double size = Math.abs(value);
    int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
