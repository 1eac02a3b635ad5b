package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.Figure.Bound;
import java.util.Optional;

/**
 * What a measure of a contender is held to.
 *
 * @param whose whose
 * @param measure which
 * @param against whose same measure in the same round it is divided by, if a ratio is asked for
 * @param bound which side is good
 * @param must what it must reach; not a number if only an aim is set
 * @param aim what is hoped for; not a number if nothing is
 */
public record Target(
    Contender whose,
    String measure,
    Optional<Contender> against,
    Bound bound,
    double must,
    double aim) {

  /** Small is good. */
  public static Target atMost(Contender whose, String measure, double must) {
    return new Target(whose, measure, Optional.empty(), Bound.AT_MOST, must, Double.NaN);
  }

  /** Large is good. */
  public static Target atLeast(Contender whose, String measure, double must) {
    return new Target(whose, measure, Optional.empty(), Bound.AT_LEAST, must, Double.NaN);
  }

  /** The same for the ratio. */
  public Target times(Contender other) {
    return new Target(whose, measure, Optional.of(other), bound, must, aim);
  }

  /** A figure that is held to this. */
  Figure judge(Figure figure) {
    return new Figure(figure.what(), figure.unit(), figure.samples(), bound, must, aim);
  }

  /** The same with something to hope for. */
  public Target aim(double newAim) {
    return new Target(whose, measure, against, bound, must, newAim);
  }
}
