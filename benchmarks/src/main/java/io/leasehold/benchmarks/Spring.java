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
  private static final String BY_HAND = "byHand";
  private static final String METERS = "withMeters";

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
        String what = what(method) + ", beyond it";
        Figure time = Figure.of(what, "us", beyond(micros, Core.micros(each)));
        Figure allocated = Figure.of(what + ", allocated", "B", beyond(bytes, Core.bytes(each)));
        switch (method) {
          case BY_HAND -> figures.addAll(List.of(time, allocated));
          case METERS -> figures.addAll(List.of(time.atMost(0.5), allocated));
          default -> figures.addAll(List.of(time.atMost(1), allocated.atMost(300)));
        }
      }
    }
    return figures;
  }

  private static String what(String method) {
    return switch (method) {
      case BY_HAND -> "a lock made for the call";
      case METERS -> "meters";
      default -> "@Locked, " + method;
    };
  }

  private static List<Double> beyond(Figure plain, List<Double> samples) {
    return samples.stream().map(sample -> sample - plain.value()).toList();
  }
}
