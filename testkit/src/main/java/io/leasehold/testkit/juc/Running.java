package io.leasehold.testkit.juc;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Work on a thread of its own. */
final class Running<T> {
  final Thread thread;
  private final FutureTask<T> task;

  Running(Callable<T> work) {
    this.task = new FutureTask<>(work);
    this.thread = new Thread(task, "caller");
    thread.setDaemon(true);
    thread.start();
  }

  boolean isDone() {
    return task.isDone();
  }

  /** What the work returned; fails with what it threw. */
  T result() throws Exception {
    return task.get(Behaviours.LONG.toSeconds(), TimeUnit.SECONDS);
  }
}
