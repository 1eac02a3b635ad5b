package io.leasehold.benchmarks.idempotency;

import static io.leasehold.benchmarks.idempotency.IdempotencyContender.BARE;
import static io.leasehold.benchmarks.idempotency.IdempotencyContender.LEASEHOLD;
import static io.leasehold.benchmarks.idempotency.IdempotencyContender.SPRING;

import io.leasehold.benchmarks.runner.ChildProcess;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Target;
import io.leasehold.benchmarks.runner.Task;
import io.leasehold.benchmarks.runner.Task.Answer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * First calls, and replays of them, of one thread.
 *
 * @param unit what the server counts
 */
record CallsScenario(String unit) {
  private static final String FIRST = "first call";
  private static final String REPLAY = "replay";

  /** More than fit into a measurement. */
  private static final int MOST = 1_000_000;

  static Scenario counting(String unit) {
    CallsScenario calls = new CallsScenario(unit);
    return new Scenario(
        "calls",
        "calls of one thread",
        List.of(
            new Measure(calls.counted(FIRST), ""),
            new Measure(calls.counted(REPLAY), ""),
            new Measure(FIRST, "us"),
            new Measure(REPLAY, "us")),
        List.of(LEASEHOLD, SPRING, BARE),
        calls::measure,
        List.of(
            Target.atMost(LEASEHOLD, calls.counted(FIRST), 2),
            Target.atMost(LEASEHOLD, calls.counted(REPLAY), 1)));
  }

  private String counted(String which) {
    return which + ", " + unit;
  }

  private Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    Map<String, Double> measured =
        new HashMap<>(
            stage.alone(
                contender, settings.heldTtl(), child -> count(stage, child, settings.pairs())));
    String name = stage.newName();
    Answer first = stage.ask(contender, Task.calls(name, MOST, settings.length().dividedBy(2)));
    int keys = (int) first.value("calls");
    Answer replay = stage.ask(contender, Task.calls(name, keys));
    measured.put(FIRST, checked(first, keys).value("micros"));
    measured.put(REPLAY, checked(replay, 0).value("micros"));
    return measured;
  }

  private Map<String, Double> count(Stage stage, ChildProcess child, int keys)
      throws InterruptedException {
    // What is asked on a new connection is none of their cost
    child.ask(Task.calls(stage.newName(), 10));
    String name = stage.newName();
    double first = count(stage, child, Task.calls(name, keys), keys);
    double replay = count(stage, child, Task.calls(name, keys), 0);
    return Map.of(counted(FIRST), first, counted(REPLAY), replay);
  }

  private double count(Stage stage, ChildProcess child, Task task, int works)
      throws InterruptedException {
    double counted = stage.count(() -> checked(child.ask(task), works)).of(unit);
    return Math.rint(counted / task.count() * 100) / 100;
  }

  private static Answer checked(Answer answer, int works) {
    if (answer.value("worked") != works) {
      throw new IllegalStateException(
          "the work was done " + answer.value("worked") + " times instead of " + works);
    }
    return answer;
  }
}
