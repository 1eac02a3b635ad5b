package io.leasehold.internal;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one client: one timer, and a few more that exist only while there is work. The
 * only place that starts any.
 */
public final class Threads implements Scheduler {
  private static final long IDLE_SECONDS = 5;
  private static final long LAST_TASKS_SECONDS = 2;
  private static final String PREFIX = "leasehold-";

  /**
   * How many requests of callers run at once that cannot use their own threads: as many as a store
   * sends together. Thousands of virtual threads wait for these; more of them would wait for a
   * connection instead.
   */
  private static final int MOST_FOR_CALLERS = 64;

  private static final int MOST_WATCHES = 8;

  /** One, and one more should it hang. */
  private static final int MOST_POLLS = 2;

  private static final int MOST_WITHDRAWALS = 16;

  /** A batch that hangs keeps its thread for a quarter of its leases' ttl. */
  private static final int MOST_RENEWALS = 8;

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, named("timer"));
  private final ThreadPoolExecutor requests =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          named("request"));
  private final Map<Work, Lane> lanes = new EnumMap<>(Work.class);
  private final Lane other;
  private final ThreadPoolExecutor renewals =
      pool("renewal", MOST_RENEWALS, new ThreadPoolExecutor.DiscardPolicy());
  private final ThreadPoolExecutor callbacks = pool("callback", 4, (task, closed) -> task.run());

  /** Starts no thread yet. */
  public Threads() {
    this(16);
  }

  /**
   * Starts no thread yet.
   *
   * @param most how many requests may run at once of those that are of no kind
   */
  public Threads(int most) {
    other = new Lane(requests, most);
    lanes.put(Work.CALLER, new Lane(requests, MOST_FOR_CALLERS));
    lanes.put(Work.WATCH, new Lane(requests, MOST_WATCHES));
    lanes.put(Work.POLL, new Lane(requests, MOST_POLLS));
    lanes.put(Work.WITHDRAWAL, new Lane(requests, MOST_WITHDRAWALS));
    timer.setRemoveOnCancelPolicy(true);
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    ScheduledFuture<?> future = timer.schedule(logged(task), delayNanos, TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void request(Runnable task) {
    if (!requests.isShutdown()) {
      other.execute(task);
    }
  }

  @Override
  public void request(Work work, Runnable task) {
    lanes.getOrDefault(work, other).execute(task);
  }

  @Override
  public void renewal(Runnable task) {
    renewals.execute(logged(task));
  }

  @Override
  public void callback(Runnable task) {
    callbacks.execute(logged(task));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    requests.shutdownNow();
    other.clear();
    lanes.values().forEach(Lane::clear);
    renewals.shutdownNow();
    callbacks.shutdown();
    // A close from a thread of a client must not wait for itself.
    if (!Thread.currentThread().getName().startsWith(PREFIX)) {
      boolean interrupted = false;
      for (ThreadPoolExecutor pool : List.of(timer, requests, renewals, callbacks)) {
        interrupted |= awaitEnd(pool);
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    callbacks.shutdownNow();
  }

  /** Waits a bounded time; true if interrupted, and then no longer. */
  private static boolean awaitEnd(ThreadPoolExecutor pool) {
    try {
      if (!pool.awaitTermination(LAST_TASKS_SECONDS, TimeUnit.SECONDS)) {
        Log.warn(
            "a task of a closed client still runs: an event listener, or a request that does not end");
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static Runnable logged(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        Log.error("a task of the engine failed; please report this", e);
        if (e instanceof Error error) {
          throw error;
        }
      }
    };
  }

  private static ThreadPoolExecutor pool(
      String role, int size, RejectedExecutionHandler whenClosed) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            named(role),
            whenClosed);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory named(String role) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, PREFIX + role + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
