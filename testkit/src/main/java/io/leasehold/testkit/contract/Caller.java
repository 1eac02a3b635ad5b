package io.leasehold.testkit.contract;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Work on a thread of its own. */
public final class Caller<T> {
  private static final Duration STEADY = Duration.ofMillis(20);

  private final Thread thread;
  private final FutureTask<T> task;
  private final Duration patience;

  /** Starts it. */
  Caller(ThreadGroup group, Duration patience, Callable<T> work) {
    this.patience = patience;
    this.task = new FutureTask<>(work);
    this.thread = new Thread(group, task, "contract-caller");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts it on a virtual thread. */
  private Caller(Duration patience, Callable<T> work, Method start)
      throws ReflectiveOperationException {
    this.patience = patience;
    this.task = new FutureTask<>(work);
    this.thread = (Thread) start.invoke(null, task);
  }

  /** As the constructor, on a virtual thread; aborts the test before JDK 21, which has none. */
  static <T> Caller<T> virtual(Duration patience, Callable<T> work) {
    try {
      Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
      return new Caller<>(patience, work, start);
    } catch (NoSuchMethodException none) {
      return Assumptions.abort("virtual threads: this JDK has none");
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Thread.startVirtualThread", e);
    }
  }

  /** Waits until its thread does nothing but wait, or has ended. */
  public Caller<T> waiting() {
    await("a caller that waits")
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(2))
        .atMost(patience)
        .during(STEADY)
        .until(this::isParked);
    requireClaimed();
    return this;
  }

  /** What is not claimed does not wait, and ends the test. */
  private void requireClaimed() {
    if (!isDone()) {
      return;
    }
    try {
      result();
    } catch (UnsupportedOperationException notClaimed) {
      throw notClaimed;
    } catch (Exception told) {
      // The thread that asks for the result is told.
    }
  }

  private boolean isParked() {
    return isDone()
        || thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** Whether it has ended. */
  public boolean isDone() {
    return task.isDone();
  }

  /** Interrupts it. */
  public void interrupt() {
    thread.interrupt();
  }

  /** What it does at this moment, for messages. */
  StackTraceElement[] stack() {
    return thread.getStackTrace();
  }

  /** Whether it ended within this time. */
  boolean endsWithin(Duration time) throws InterruptedException {
    thread.join(Math.max(1, time.toMillis()));
    return task.isDone();
  }

  /** Waits for its end, and yields its result or throws what it threw. */
  public T result() throws Exception {
    try {
      return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception thrown) {
        throw thrown;
      }
      if (e.getCause() instanceof Error thrown) {
        throw thrown;
      }
      throw e;
    }
  }
}
