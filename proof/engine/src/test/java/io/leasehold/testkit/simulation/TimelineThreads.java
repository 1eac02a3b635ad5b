package io.leasehold.testkit.simulation;

import io.leasehold.spi.support.Scheduler;

/** Timers in virtual time; all else happens at once, but callbacks after what goes on. */
final class TimelineThreads implements Scheduler {
  private final Timeline time;

  TimelineThreads(Timeline time) {
    this.time = time;
  }

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    return time.in(delayNanos, task)::cancel;
  }

  @Override
  public void request(Runnable task) {
    task.run();
  }

  @Override
  public void renewal(Runnable task) {
    task.run();
  }

  @Override
  public void callback(Runnable task) {
    time.in(0, task);
  }

  @Override
  public void close() {
    // The simulation ends before its clients do
  }
}
