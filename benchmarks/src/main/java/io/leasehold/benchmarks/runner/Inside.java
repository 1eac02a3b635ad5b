package io.leasehold.benchmarks.runner;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What is asked by who has the lock already. */
final class Inside {
  /** Before it counts, and while it counts. */
  private static final Duration LENGTH = Duration.ofMillis(200);

  private Inside() {}

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
