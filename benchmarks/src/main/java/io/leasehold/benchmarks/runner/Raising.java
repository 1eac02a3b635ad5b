package io.leasehold.benchmarks.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** Threads of this process that raise rows, each time one at random, for a while. In a child. */
final class Raising {
  private final Client.Rows rows;
  private final Task task;
  private final CountDownLatch connected;

  /**
   * What a thread did.
   *
   * @param raised how often it raised a row
   * @param tries how often it tried to
   * @param rate how often it raised one in a second, once all threads were connected
   */
  private record Done(long raised, long tries, double rate) {}

  private Raising(Client.Rows rows, Task task) {
    this.rows = rows;
    this.task = task;
    this.connected = new CountDownLatch(task.threads());
  }

  /** Returns the sums over the threads. */
  static Map<String, Double> run(Client.Rows rows, Task task) throws InterruptedException {
    return new Raising(rows, task).run();
  }

  private Map<String, Double> run() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(task.threads());
    try {
      List<Future<Done>> running = new ArrayList<>();
      for (int i = 0; i < task.threads(); i++) {
        running.add(threads.submit(this::raise));
      }
      double raised = 0;
      double tries = 0;
      double rate = 0;
      for (Future<Done> each : running) {
        raised += each.get().raised();
        tries += each.get().tries();
        rate += each.get().rate();
      }
      return Map.of("raised", raised, "tries", tries, "rate", rate);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Done raise() throws InterruptedException {
    try {
      long tries = rows.raise(row());
      connected.countDown();
      connected.await();
      long begin = Clock.nanos();
      long now = begin;
      long raised = 0;
      for (; now - begin < task.holdNanos(); now = Clock.nanos()) {
        tries += rows.raise(row());
        raised++;
      }
      return new Done(raised + 1, tries, raised * 1e9 / (now - begin));
    } finally {
      rows.leave();
    }
  }

  private int row() {
    return ThreadLocalRandom.current().nextInt(task.count());
  }
}
