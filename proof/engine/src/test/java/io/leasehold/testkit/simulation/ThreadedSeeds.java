package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Many seeds of one plan for callers with threads. */
final class ThreadedSeeds {
  private static final int LINES_SHOWN = 60;

  private final Function<Dice, ThreadedPlan> plan;
  private final String name;
  private final Set<Situation> seen = ConcurrentHashMap.newKeySet();

  private ThreadedSeeds(Function<Dice, ThreadedPlan> plan, String name) {
    this.plan = plan;
    this.name = name;
  }

  static ThreadedSeeds of(Function<Dice, ThreadedPlan> plan, String name) {
    return new ThreadedSeeds(plan, name);
  }

  /** Fails with the trace of the shortest that breaks a promise. */
  ThreadedSeeds run(long from, long seeds) {
    ConcurrentLinkedQueue<Simulation.Result> broken = new ConcurrentLinkedQueue<>();
    AtomicLong events = new AtomicLong();
    long begin = System.nanoTime();
    LongStream.range(from, from + seeds)
        .parallel()
        .forEach(
            seed -> {
              Simulation.Result result = ThreadedSimulation.run(seed, plan, false, seen);
              events.addAndGet(result.events());
              if (result.violation() != null) {
                broken.add(result);
              }
            });
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "simulation with threads, %s: %d seeds, %d events, %.1f s, %.0f seeds/s%n",
        name,
        seeds,
        events.get(),
        seconds,
        seeds / seconds);
    broken.stream()
        .min((a, b) -> Long.compare(a.events(), b.events()))
        .ifPresent(shortest -> report(shortest, broken.size(), seeds));
    return this;
  }

  private void report(Simulation.Result broken, int howMany, long seeds) {
    Simulation.Result again = ThreadedSimulation.run(broken.seed(), plan, true, seen);
    List<String> lines = Arrays.asList(again.trace().split("\n"));
    fail(
        "%d of %d seeds of %s break a promise. The shortest is seed %d: %s%n%s%n%s",
        howMany,
        seeds,
        name,
        broken.seed(),
        broken.violation().getMessage(),
        lines.get(0),
        String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size())));
  }

  /** Prints the trace of one seed, and throws what it found. */
  void replay(long seed) {
    Simulation.Result result = ThreadedSimulation.run(seed, plan, true, seen);
    System.out.println(result.trace());
    if (result.violation() != null) {
      throw result.violation();
    }
  }

  /** Situations that no seed has seen so far. */
  Set<Situation> notSeen() {
    Set<Situation> never = EnumSet.allOf(Situation.class);
    never.removeAll(seen);
    return never;
  }
}
