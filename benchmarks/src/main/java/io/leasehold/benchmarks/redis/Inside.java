package io.leasehold.benchmarks.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What is asked by who has the lock already. */
final class Inside {
  /** Before it counts, and while it counts. */
  private static final Duration LENGTH = Duration.ofMillis(200);

  private Inside() {}

  /** Once for the time, and once for the requests where nobody else sends any. */
  static Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
      throws InterruptedException {
    String name = stage.newName();
    Task enterAgain = Task.enterAgain(contender, name);
    Task isHeld = Task.isHeld(contender, name);
    ChildProcess warm = stage.fleet().of(contender, 1).get(0);
    Map<String, Double> measured = new HashMap<>();
    measured.put("re-entry", warm.ask(enterAgain).value("micros"));
    measured.put("isHeld", warm.ask(isHeld).value("micros"));
    Stage.Counted requests =
        child ->
            Map.of(
                "re-entry, requests", requests(stage, child, enterAgain),
                "isHeld, requests", requests(stage, child, isHeld));
    measured.putAll(stage.alone(contender, settings.heldTtl(), requests));
    return measured;
  }

  private static double requests(Stage stage, ChildProcess child, Task task)
      throws InterruptedException {
    child.ask(Task.pairs(task.contender(), task.name(), 1));
    double[] times = new double[1];
    ServerCounts counts = stage.count(() -> times[0] = child.ask(task).value("times"));
    return counts.dividedBy(times[0]).requests();
  }

  /** In a child: how long it takes to enter once more and leave again. */
  static Map<String, Double> enterAgain(Mutex mutex) {
    mutex.lock();
    try {
      return repeat(
          () -> {
            mutex.lock();
            mutex.unlock();
          });
    } finally {
      mutex.unlock();
    }
  }

  /** In a child: how long it takes to ask whether a lock is held; nothing if that is not told. */
  static Map<String, Double> isHeld(Client client, String name) {
    Client.Held held = client.hold(name);
    try {
      return held.isHeld().map(Inside::ask).orElse(Map.of());
    } finally {
      held.release().run();
    }
  }

  private static Map<String, Double> ask(BooleanSupplier isHeld) {
    return repeat(
        () -> {
          if (!isHeld.getAsBoolean()) {
            throw new IllegalStateException("a lock was lost");
          }
        });
  }

  private static Map<String, Double> repeat(Runnable operation) {
    long warmUp = repeatUntil(Clock.nanos() + LENGTH.toNanos(), operation);
    long begin = Clock.nanos();
    long times = repeatUntil(begin + LENGTH.toNanos(), operation);
    double micros = (Clock.nanos() - begin) / 1e3 / times;
    return Map.of("micros", micros, "times", (double) warmUp + times);
  }

  /** The clock is read once in a hundred times, so that it costs nothing. */
  private static long repeatUntil(long end, Runnable operation) {
    long times = 0;
    while (Clock.nanos() < end) {
      for (int i = 0; i < 100; i++) {
        operation.run();
      }
      times += 100;
    }
    return times;
  }
}
