package io.leasehold.benchmarks;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;

/** The engine on a store in memory: what it costs where no network does. */
final class Core {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final Bench bench;
  private final int rounds;

  /**
   * The scenario.
   *
   * @param rounds how often the contended locks are measured, in turns
   */
  Core(Bench bench, int rounds) {
    this.bench = bench;
    this.rounds = rounds;
  }

  List<Figure> figures() throws RunnerException {
    List<Figure> figures = new ArrayList<>();
    figures.addAll(uncontended());
    figures.addAll(reentry());
    figures.addAll(contended());
    figures.addAll(heldLeases());
    figures.addAll(waiters());
    return figures;
  }

  private List<Figure> uncontended() throws RunnerException {
    List<Figure> figures = new ArrayList<>();
    for (RunResult result : withAllocation(UncontendedBenchmark.class)) {
      String what = "uncontended " + method(result);
      figures.add(Figure.of(what, "us", micros(result)).atMost(1));
      figures.add(Figure.of(what + ", allocated", "B", bytes(result)).atMost(300));
    }
    RunResult store = withAllocation(StoreBenchmark.class).iterator().next();
    figures.add(Figure.of("  of that the store in memory", "us", micros(store)));
    figures.add(Figure.of("  of that the store in memory, allocated", "B", bytes(store)));
    return figures;
  }

  private List<Figure> reentry() throws RunnerException {
    List<Figure> figures = new ArrayList<>();
    for (RunResult result : withAllocation(ReentryBenchmark.class)) {
      String what = "re-entry, " + method(result);
      // What the profiler itself allocates is a fraction of a byte for each operation.
      List<Double> bytes = samples(result, i -> Math.floor(score(i, ALLOCATED)));
      figures.add(Figure.of(what, "ns", samples(result, Core::score)).atMost(100));
      figures.add(Figure.of(what + ", allocated", "B", bytes).atMost(0));
    }
    return figures;
  }

  /** In turns, so that whatever else this machine does hits both. */
  private List<Figure> contended() throws RunnerException {
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      theirs.add(perMilli(bench.run(ContendedBenchmark.class, "fairReentrantLock")));
      ours.add(perMilli(bench.run(ContendedBenchmark.class, "withLock")));
      ratios.add(ours.get(i) / theirs.get(i));
    }
    return List.of(
        Figure.of("32 threads on one name, withLock", "/ms", ours),
        Figure.of("32 threads on a fair ReentrantLock", "/ms", theirs),
        Figure.of("32 threads, throughput against it", "x", ratios).atLeast(0.5));
  }

  private static double perMilli(RunResult result) {
    return Figure.of("", "", samples(result, i -> score(i) / 1_000)).value();
  }

  private List<Figure> heldLeases() throws RunnerException {
    RunResult result = bench.run(HeldLeasesBenchmark.class, "period");
    String what = result.getParams().getParam("leases") + " held leases, ";
    List<Double> engine = samples(result, i -> score(i, "engineMicros") / 1_000);
    List<Double> store = samples(result, i -> score(i, "storeMicros") / 1_000);
    List<Double> renewals = samples(result, i -> score(i, "renewals"));
    return List.of(
        Figure.of(what + "engine's CPU a period", "ms", engine).atMost(50),
        Figure.of(what + "store's CPU a period", "ms", store),
        Figure.of(what + "renewals a period", "", renewals));
  }

  private List<Figure> waiters() throws RunnerException {
    RunResult result = withAllocation(WaitersBenchmark.class).iterator().next();
    int waiters = Integer.parseInt(result.getParams().getParam("waiters"));
    List<Double> kept = samples(result, i -> score(i, "retainedBytes"));
    List<Double> allocated = samples(result, i -> score(i, ALLOCATED) / waiters);
    return List.of(
        Figure.of(waiters + " waiting callers, kept by each", "B", kept).atMost(500),
        Figure.of(waiters + " callers that wait and give up, allocated", "B", allocated));
  }

  private Collection<RunResult> withAllocation(Class<?> benchmarks) throws RunnerException {
    return bench.run(benchmarks, options -> options.addProfiler(GCProfiler.class));
  }

  static String method(RunResult result) {
    String benchmark = result.getParams().getBenchmark();
    return benchmark.substring(benchmark.lastIndexOf('.') + 1);
  }

  /** Of a benchmark in nanoseconds. */
  static List<Double> micros(RunResult result) {
    return samples(result, i -> score(i) / 1_000);
  }

  /** What each operation allocates; of a benchmark with the profiler. */
  static List<Double> bytes(RunResult result) {
    return samples(result, i -> score(i, ALLOCATED));
  }

  /** One of each iteration, of all forks. */
  private static List<Double> samples(RunResult result, ToDoubleFunction<IterationResult> sample) {
    return result.getBenchmarkResults().stream()
        .flatMap(fork -> fork.getIterationResults().stream())
        .map(sample::applyAsDouble)
        .toList();
  }

  private static double score(IterationResult iteration) {
    return iteration.getPrimaryResult().getScore();
  }

  private static double score(IterationResult iteration, String metric) {
    return requireNonNull(iteration.getSecondaryResults().get(metric), metric).getScore();
  }
}
