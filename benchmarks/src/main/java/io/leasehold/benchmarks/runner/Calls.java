package io.leasehold.benchmarks.runner;

import java.util.Arrays;
import java.util.Map;

/** Calls for a row of keys, one after another. In a child. */
final class Calls {
  private Calls() {}

  /** Returns how many calls there were, how many of them did the work, and their median. */
  static Map<String, Double> run(Client.Once once, Task task) {
    long[] nanos = new long[task.count()];
    double worked = 0;
    int calls = 0;
    long begin = Clock.nanos();
    for (long now = begin; calls < nanos.length && now - begin < task.holdNanos(); calls++) {
      worked += once.call(task.name() + " " + calls) ? 1 : 0;
      long end = Clock.nanos();
      nanos[calls] = end - now;
      now = end;
    }
    Arrays.sort(nanos, 0, calls);
    return Map.of(
        "calls",
        (double) calls,
        "worked",
        worked,
        "micros",
        nanos[Math.max(0, calls - 1) / 2] / 1e3);
  }
}
