package io.leasehold.benchmarks.failover;

import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Fails over, row after row, and begins again. Several trios of servers do so at once: most of a
 * failover is waiting, for the next renewal of a client.
 *
 * @param kind of the servers
 * @param trios how many there are
 * @param ttl of the locks
 * @param progress learns of each round that has ended
 */
record Failovers(RedisServer.Kind kind, int trios, Duration ttl, Consumer<String> progress) {
  /** Each row so many times. */
  void run(List<Row> rows, int times) throws InterruptedException, ExecutionException {
    Queue<Row> queue = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < times; i++) {
      queue.addAll(rows);
    }
    AtomicInteger done = new AtomicInteger();
    Runnable next =
        () -> {
          int count = done.incrementAndGet();
          if (count % rows.size() == 0) {
            progress.accept("round " + count / rows.size() + " of " + times);
          }
        };
    ExecutorService threads = Executors.newFixedThreadPool(trios);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < trios; i++) {
        all.add(
            threads.submit(
                () -> {
                  work(queue, next);
                  return true; // a task with a result may throw
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void work(Queue<Row> queue, Runnable done) throws Exception {
    try (Trial trial = new Trial(new FailoverServers(kind), ttl)) {
      for (Row row = queue.poll(); row != null; row = queue.poll()) {
        row.add(trial.run(row.library(), row.step()));
        done.run();
      }
    } finally {
      queue.clear(); // one that failed ends the others
    }
  }
}
