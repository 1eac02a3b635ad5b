package io.leasehold.benchmarks.runner;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads of this process that take locks until the time is over. In a child. */
final class Contention {
  private final Task task;
  private final Journal journal;

  private Contention(Task task) {
    this.task = task;
    Task.Shared shared = task.journal();
    this.journal = Journal.map(Path.of(shared.file()), shared.names(), shared.capacity());
  }

  /** Returns how many grants there were, and how many found another inside. */
  static Map<String, Double> run(Client client, Task task) throws InterruptedException {
    return new Contention(task).run(client);
  }

  private Map<String, Double> run(Client client) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(task.threads());
    try {
      List<Future<long[]>> running = new ArrayList<>();
      for (int i = 0; i < task.threads(); i++) {
        int thread = task.firstThread() + i;
        int name = journal.names() == 1 ? 0 : thread;
        Mutex mutex = task.mutex(client, task.name() + " " + name);
        running.add(threads.submit(() -> takeAndRelease(mutex, name, thread)));
      }
      double grants = 0;
      double violations = 0;
      for (Future<long[]> each : running) {
        grants += each.get()[0];
        violations += each.get()[1];
      }
      return Map.of("grants", grants, "violations", violations);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private long[] takeAndRelease(Mutex mutex, int name, int thread) {
    long grants = 0;
    long violations = 0;
    Duration work = Duration.ofNanos(task.holdNanos());
    for (long arrived = Clock.nanos(); arrived < task.until(); arrived = Clock.nanos()) {
      mutex.lock();
      try {
        boolean alone = journal.enter(name, thread, arrived, Clock.nanos());
        Clock.pause(work);
        alone &= journal.leave(name, thread, Clock.nanos());
        grants++;
        violations += alone ? 0 : 1;
      } finally {
        mutex.unlock();
      }
    }
    return new long[] {grants, violations};
  }
}
