package io.leasehold.benchmarks.runner;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * One of two processes that pass a lock to each other. Who has it keeps it until the other has
 * waited for a while, so that it sleeps as deeply as its library lets it; and comes back only once
 * the other has it. In a child.
 */
final class HandOver {
  /** At the beginning both processes come at once, and at the end none comes. */
  private static final Duration ALONE = Duration.ofMillis(50);

  private static final Duration LOOK = Duration.ofNanos(50_000);

  private final Task task;
  private final Journal journal;

  private HandOver(Task task) {
    this.task = task;
    this.journal = Journal.map(Path.of(task.journal().file()), 1, task.journal().capacity());
  }

  /** Returns how many grants there were, and how many found another inside. */
  static Map<String, Double> run(Mutex mutex, Task task) {
    return new HandOver(task).run(mutex);
  }

  private Map<String, Double> run(Mutex mutex) {
    double grants = 0;
    double violations = 0;
    long mine = -1;
    for (long now = Clock.nanos(); now < task.until(); now = Clock.nanos()) {
      if (journal.count(0) == mine) {
        Clock.pause(LOOK);
        continue;
      }
      journal.setWaitingSince(0, now);
      mutex.lock();
      try {
        boolean alone = journal.enter(0, task.firstThread(), now, Clock.nanos());
        mine = journal.count(0);
        awaitOther();
        alone &= journal.leave(0, task.firstThread(), Clock.nanos());
        grants++;
        violations += alone ? 0 : 1;
      } finally {
        mutex.unlock();
      }
    }
    return Map.of("grants", grants, "violations", violations);
  }

  private void awaitOther() {
    long begin = Clock.nanos();
    long since = journal.waitingSince(0);
    while (since == 0 && Clock.nanos() - begin < ALONE.toNanos()) {
      Clock.pause(LOOK);
      since = journal.waitingSince(0);
    }
    Clock.pause(Duration.ofNanos(task.holdNanos() - (Clock.nanos() - Math.max(since, begin))));
  }
}
