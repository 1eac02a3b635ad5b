package io.leasehold.testkit.simulation;

import io.leasehold.internal.Engine;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** A process with the threads that a real one has: pools of the same sizes, and one timer. */
final class ThreadedProcess implements Clock, Scheduler {
  private static final long ORIGIN = 1L << 40;
  private static final long WALL_ORIGIN = 1_790_000_000_000L;

  final String name;
  final Pool store;
  Engine engine;

  private final ThreadedWorld world;
  private final Dice dice;
  private final Pool timer;
  private final Pool otherRequests;
  private final Map<Work, Pool> requests = new EnumMap<>(Work.class);
  private final Pool renewals;
  private final Map<Lane, Pool> callbacks = new EnumMap<>(Lane.class);
  private boolean closed;

  ThreadedProcess(String name, ThreadedWorld world, Dice dice) {
    this.name = name;
    this.world = world;
    this.dice = dice;
    this.timer = new Pool("timer", 1, false);
    this.otherRequests = new Pool("request", 16, true);
    requests.put(Work.CALLER, new Pool("caller", 64, true));
    requests.put(Work.WATCH, new Pool("watch", 8, true));
    requests.put(Work.POLL, new Pool("poll", 2, true));
    requests.put(Work.WITHDRAWAL, new Pool("withdrawal", 16, true));
    this.renewals = new Pool("renewal", 8, true);
    // A callback that gets no thread waits for the next: it does not fail
    for (Lane lane : Lane.values()) {
      int size = lane == Lane.ENGINE ? 4 : Threads.MOST_CALLBACKS;
      callbacks.put(lane, new Pool(lane.name().toLowerCase(Locale.ROOT), size, false));
    }
    this.store = new Pool("store", 1, false);
  }

  /** How late a thread begins to run. */
  private long jitter() {
    return dice.between(1_000, world.plan.jitter);
  }

  @Override
  public long nanos() {
    return ORIGIN + world.time.now();
  }

  @Override
  public long wallMillis() {
    return WALL_ORIGIN + world.time.now() / Plan.MS;
  }

  /** Threads that are started while there is work, and end after it. */
  final class Pool {
    private final String role;
    private final int size;
    private final boolean mayLackThreads;
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private final List<Strand> workers = new ArrayList<>();
    private int started;

    Pool(String role, int size, boolean mayLackThreads) {
      this.role = role;
      this.size = size;
      this.mayLackThreads = mayLackThreads;
    }

    void execute(Runnable task) {
      if (workers.size() == size) {
        queue.add(task);
        return;
      }
      if (mayLackThreads && world.lacksThread(name)) {
        throw new SimulatedFaults.NoThread();
      }
      String worker = name + "-" + role + ++started;
      workers.add(world.strands.start(worker, jitter(), () -> work(task)));
    }

    private void work(Runnable first) {
      Strand me = Strand.current();
      try {
        for (Runnable task = first; task != null; task = queue.poll()) {
          run(task);
        }
      } finally {
        workers.remove(me);
      }
    }

    /** What the simulation threw itself ends the task, and is no finding. */
    private void run(Runnable task) {
      try {
        task.run();
      } catch (SimulatedFaults.Failed | SimulatedFaults.Broken | SimulatedFaults.NoThread e) {
        world.trace.line(name, role + " task ended by " + e.getMessage());
      }
    }

    void interrupt() {
      queue.clear();
      workers.forEach(worker -> worker.interrupt(jitter()));
    }
  }

  // ---- Scheduler

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    if (closed) {
      return () -> {};
    }
    Timed timed = new Timed(task);
    long delay = Math.max(0, Math.min(delayNanos, Long.MAX_VALUE / 8));
    timed.event = world.time.in(delay, timed::due);
    return timed;
  }

  private final class Timed implements Timer, Runnable {
    private final Runnable task;
    private Timeline.Event event;
    private boolean over;

    Timed(Runnable task) {
      this.task = task;
    }

    void due() {
      if (!over && !closed) {
        timer.execute(this);
      }
    }

    @Override
    public void run() {
      if (!over) {
        over = true;
        task.run();
      }
    }

    @Override
    public void cancel() {
      over = true;
      event.cancel();
    }
  }

  @Override
  public void request(Runnable task) {
    execute(otherRequests, task);
  }

  @Override
  public void request(Work work, Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("closed");
    }
    requests.get(work).execute(task);
  }

  @Override
  public void renewal(Runnable task) {
    execute(renewals, task);
  }

  @Override
  public void callback(Runnable task) {
    callback(Lane.COMPLETION, task);
  }

  @Override
  public void callback(Lane lane, Runnable task) {
    callbacks.get(lane).execute(task);
  }

  private void execute(Pool pool, Runnable task) {
    if (!closed) {
      pool.execute(task);
    }
  }

  @Override
  public void park(Object blocker, long nanos) {
    Strand.current().park(nanos);
  }

  @Override
  public void unpark(Thread thread) {
    Strand strand = world.strands.of(thread);
    if (strand != null) {
      strand.unpark(jitter());
    }
  }

  @Override
  public <T> T join(CompletableFuture<T> future) {
    return Strands.join(future, jitter());
  }

  @Override
  public void close() {
    closed = true;
    timer.interrupt();
    otherRequests.interrupt();
    requests.values().forEach(Pool::interrupt);
    renewals.interrupt();
  }
}
