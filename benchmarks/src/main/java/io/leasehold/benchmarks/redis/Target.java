package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.Figure.Bound;
import java.util.Optional;

/**
 * What a measure of Leasehold's is held to.
 *
 * @param whose whose
 * @param measure which
 * @param against whose same measure in the same round it is divided by, if a ratio is asked for
 * @param bound which side is good
 * @param must what it must reach; not a number if only an aim is set
 * @param aim what is hoped for; not a number if nothing is
 */
record Target(
    Contender whose,
    String measure,
    Optional<Contender> against,
    Bound bound,
    double must,
    double aim) {

  static Target of(String measure, Bound bound, double must) {
    return new Target(Contender.LEASEHOLD, measure, Optional.empty(), bound, must, Double.NaN);
  }

  static Target atMost(String measure, double must) {
    return of(measure, Bound.AT_MOST, must);
  }

  static Target atLeast(String measure, double must) {
    return of(measure, Bound.AT_LEAST, must);
  }

  Target of(Contender newWhose) {
    return new Target(newWhose, measure, against, bound, must, aim);
  }

  Target times(Contender other) {
    return new Target(whose, measure, Optional.of(other), bound, must, aim);
  }

  /** A figure that is held to this. */
  Figure judge(Figure figure) {
    return new Figure(figure.what(), figure.unit(), figure.samples(), bound, must, aim);
  }

  Target aim(double newAim) {
    return new Target(whose, measure, against, bound, must, newAim);
  }
}
