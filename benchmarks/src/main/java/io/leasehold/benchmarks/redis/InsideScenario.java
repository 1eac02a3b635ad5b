package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.ChildProcess;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage;
import io.leasehold.benchmarks.runner.Task;
import java.util.HashMap;
import java.util.Map;

/** What is asked by who has the lock already. */
final class InsideScenario {
  private InsideScenario() {}

  /** Once for the time, and once for the requests where no other client sends any. */
  static Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    String name = stage.newName();
    Task enterAgain = Task.enterAgain(contender, name);
    Task isHeld = Task.isHeld(contender, name);
    Map<String, Double> measured = new HashMap<>();
    measured.put("re-entry", stage.ask(contender, enterAgain).value("micros"));
    measured.put("isHeld", stage.ask(contender, isHeld).value("micros"));
    Task once = Task.pairs(contender, name, 1);
    Stage.Counted requests =
        child ->
            Map.of(
                "re-entry, requests", requests(stage, child, once, enterAgain),
                "isHeld, requests", requests(stage, child, once, isHeld));
    measured.putAll(stage.alone(contender, settings.heldTtl(), requests));
    return measured;
  }

  private static double requests(Stage stage, ChildProcess child, Task once, Task task)
      throws InterruptedException {
    child.ask(once);
    double[] times = new double[1];
    Counts counts = stage.count(() -> times[0] = child.ask(task).value("times"));
    return counts.dividedBy(times[0]).of("requests");
  }
}
