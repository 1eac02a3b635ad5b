package io.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;

/** What the annotation and the meters cost beyond the lock, on the store in memory. */
final class Spring {
  private static final String PLAIN = "plain";

  private final Bench bench;

  Spring(Bench bench) {
    this.bench = bench;
  }

  List<Figure> figures() throws RunnerException {
    Collection<RunResult> results =
        bench.run(SpringBenchmark.class, options -> options.addProfiler(GCProfiler.class));
    RunResult plain =
        results.stream().filter(each -> Core.method(each).equals(PLAIN)).findFirst().orElseThrow();
    Figure micros = Figure.of("a lock by itself", "us", Core.micros(plain));
    Figure bytes = Figure.of("a lock by itself, allocated", "B", Core.bytes(plain));
    List<Figure> figures = new ArrayList<>(List.of(micros, bytes));
    for (RunResult each : results) {
      String method = Core.method(each);
      if (!method.equals(PLAIN)) {
        boolean meters = method.equals("withMeters");
        String what = (meters ? "meters" : "@Locked, " + method) + ", beyond it";
        figures.add(
            Figure.of(what, "us", beyond(micros, Core.micros(each))).atMost(meters ? 0.5 : 1));
        Figure allocated = Figure.of(what + ", allocated", "B", beyond(bytes, Core.bytes(each)));
        figures.add(meters ? allocated : allocated.atMost(300));
      }
    }
    return figures;
  }

  private static List<Double> beyond(Figure plain, List<Double> samples) {
    return samples.stream().map(sample -> sample - plain.value()).toList();
  }
}
