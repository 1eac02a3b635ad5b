package io.leasehold.benchmarks.idempotency;

import static io.leasehold.benchmarks.idempotency.IdempotencyContender.LOCK;
import static io.leasehold.benchmarks.idempotency.IdempotencyContender.ROW_LOCK;
import static io.leasehold.benchmarks.idempotency.IdempotencyContender.VERSION;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Task;
import io.leasehold.benchmarks.runner.Task.Answer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Threads of up to four processes that read a row and write what they read: how many updates a
 * second, and how often an update by version was tried.
 */
final class RaisingScenario {
  private static final int PROCESSES = 4;
  private static final int WRITERS = 16;

  /**
   * A point of the line.
   *
   * @param title what the axis calls it
   * @param writers how many threads
   * @param rows how many rows they choose from
   */
  private record Point(String title, int writers, int rows) {
    String tries() {
      return "tries, " + title;
    }
  }

  private final List<Point> points;

  private RaisingScenario(Stream<Point> points) {
    this.points = points.toList();
  }

  static Scenario ofWriters() {
    return new RaisingScenario(
            IntStream.of(1, 2, 4, 8, 16, 32)
                .mapToObj(n -> new Point(n == 1 ? "1 writer" : n + " writers", n, 1)))
        .scenario("writers", "writers of one row");
  }

  static Scenario ofRows() {
    return new RaisingScenario(
            IntStream.of(1, 4, 16, 64, 256, 1024)
                .mapToObj(n -> new Point(n == 1 ? "1 row" : n + " rows", WRITERS, n)))
        .scenario("rows", WRITERS + " writers, each time a row at random");
  }

  /** Whether a scenario is one of these. */
  static boolean is(Scenario scenario) {
    return scenario.contenders().contains(VERSION);
  }

  private Scenario scenario(String name, String title) {
    List<Measure> measures =
        Stream.concat(
                points.stream().map(point -> new Measure(point.title(), "/s")),
                points.stream().map(point -> new Measure(point.tries(), "")))
            .toList();
    return new Scenario(
        name, title, measures, List.of(VERSION, LOCK, ROW_LOCK), this::measure, List.of());
  }

  private Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    Map<String, Double> measured = new HashMap<>();
    for (Point point : points) {
      int processes = Math.min(PROCESSES, point.writers());
      int threads = point.writers() / processes;
      String name = stage.newName();
      Task sum = Task.sum(name, point.rows());
      stage.ask(contender, sum);
      // After this, or the processes that are started now would come late
      stage.ask(contender, processes, Task.sum(name, 1));
      List<Answer> answers =
          stage.ask(
              contender, processes, Task.raise(name, point.rows(), threads, settings.length()));
      double raised = sum(answers, "raised");
      double found = stage.ask(contender, sum).value("sum");
      if (found != raised) {
        throw new IllegalStateException("of " + raised + " updates " + found + " are there");
      }
      measured.put(point.title(), sum(answers, "rate"));
      if (contender == VERSION) {
        measured.put(point.tries(), sum(answers, "tries") / raised);
      }
    }
    return measured;
  }

  private static double sum(List<Answer> answers, String value) {
    return answers.stream().mapToDouble(each -> each.value(value)).sum();
  }
}
