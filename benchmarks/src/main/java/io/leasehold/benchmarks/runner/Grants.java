package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Journal.Grant;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a journal says about a stretch of time.
 *
 * @param byName all grants of each name, in the order of the lock
 * @param processes how many took part
 * @param threadsEach how many threads of each
 * @param from when it begins; before, the threads got going
 * @param until when it ends
 */
public record Grants(
    List<List<Grant>> byName, int processes, int threadsEach, long from, long until) {
  /** Who came less before the release may still have been on its way. */
  private static final long WAITED = 1_000_000;

  private boolean within(long nanos) {
    return from <= nanos && nanos < until;
  }

  private Stream<Grant> granted() {
    return byName.stream().flatMap(List::stream).filter(grant -> within(grant.granted()));
  }

  /** How many there were, at any time. */
  int count() {
    return byName.stream().mapToInt(List::size).sum();
  }

  /** Grants a second. */
  public double perSecond() {
    return granted().count() * 1e9 / (until - from);
  }

  /** Milliseconds from the call of {@code lock} to its return, of the calls in this time. */
  public double waitMillis(double quantile) {
    return quantile(
        byName.stream().flatMap(List::stream).filter(grant -> within(grant.arrived())),
        grant -> (grant.granted() - grant.arrived()) / 1e6,
        quantile);
  }

  private long[] byThread() {
    long[] grants = new long[processes * threadsEach];
    granted().forEach(grant -> grants[grant.thread()]++);
    return grants;
  }

  /** Grants of the thread that had fewest, divided by those of the one that had most. */
  public double evenness() {
    long[] grants = byThread();
    return (double) Arrays.stream(grants).min().orElse(0)
        / Math.max(1, Arrays.stream(grants).max().orElse(0));
  }

  /** Of the thread that had fewest. */
  public double fewest() {
    return LongStream.of(byThread()).min().orElse(0);
  }

  /** Microseconds from one call of {@code lock} to the next of the only thread. */
  public double pairMicros(double quantile) {
    List<Grant> grants = byName.get(0);
    return quantile(
        IntStream.range(0, grants.size() - 1)
            .filter(i -> within(grants.get(i).arrived()))
            .mapToDouble(i -> (grants.get(i + 1).arrived() - grants.get(i).arrived()) / 1e3),
        quantile);
  }

  /**
   * The part of the grants during whose wait no other thread was served twice: the second time it
   * had come later, and was let past.
   */
  public double inOrder() {
    List<Grant> grants = byName.get(0);
    int[] served =
        IntStream.range(0, grants.size()).filter(i -> within(grants.get(i).granted())).toArray();
    long kept = Arrays.stream(served).filter(i -> !passed(grants, i)).count();
    return (double) kept / served.length;
  }

  private boolean passed(List<Grant> grants, int index) {
    long arrived = grants.get(index).arrived();
    boolean[] served = new boolean[processes * threadsEach];
    for (int i = index - 1; i >= 0 && grants.get(i).granted() > arrived; i--) {
      int thread = grants.get(i).thread();
      if (served[thread]) {
        return true;
      }
      served[thread] = true;
    }
    return false;
  }

  /**
   * Milliseconds from the call of {@code unlock} in one process to the return of {@code lock} in
   * the other, which had waited before.
   */
  public double handOverMillis(double quantile) {
    List<Grant> grants = byName.get(0);
    return quantile(
        IntStream.range(0, grants.size() - 1)
            .filter(i -> within(grants.get(i).releasing()))
            .filter(i -> process(grants.get(i)) != process(grants.get(i + 1)))
            .filter(i -> grants.get(i + 1).arrived() + WAITED < grants.get(i).releasing())
            .mapToDouble(i -> (grants.get(i + 1).granted() - grants.get(i).releasing()) / 1e6),
        quantile);
  }

  private int process(Grant grant) {
    return grant.thread() / threadsEach;
  }

  private static double quantile(
      Stream<Grant> grants, ToDoubleFunction<Grant> measure, double quantile) {
    return quantile(grants.mapToDouble(measure), quantile);
  }

  private static double quantile(DoubleStream values, double quantile) {
    double[] sorted = values.sorted().toArray();
    return sorted.length == 0
        ? Double.NaN
        : sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))];
  }
}
