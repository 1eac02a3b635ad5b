package io.leasehold.spi.support;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one client: one timer, and a few more that exist only while there is work. No
 * other class starts threads.
 */
public final class Threads implements Scheduler {
  /** How many callbacks of one lane run at once; so many may block before another one waits. */
  public static final int MOST_CALLBACKS = 64;

  private static final int MOST_CONTINUATIONS = 4;
  private static final long IDLE_SECONDS = 5;
  private static final int MOST_CALLS_NAMED = 3;
  private static final Duration LAST_TASKS = Duration.ofSeconds(2);
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

  /** See {@link #tick}. */
  private static final long TICK_NANOS = 100_000_000;

  private final AtomicBoolean ticking = new AtomicBoolean();
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
  private final Map<Work, PoolShare> shares = new EnumMap<>(Work.class);
  private final PoolShare other;
  private final Consumer<Thread> starting;
  private final ThreadPoolExecutor renewals =
      pool("renewal", MOST_RENEWALS, new ThreadPoolExecutor.DiscardPolicy());
  private final Map<Lane, Crew> lanes = new EnumMap<>(Lane.class);

  /** Starts no thread until there is work; runs up to 16 requests without a kind at once. */
  public Threads() {
    this(16);
  }

  /**
   * Starts no thread until there is work.
   *
   * @param most how many requests without a {@link Work} kind may run at once
   */
  public Threads(int most) {
    this(most, thread -> {});
  }

  /** Tells {@code starting} of each thread before it starts; for tests. */
  Threads(int most, Consumer<Thread> starting) {
    this.starting = starting;
    other = new PoolShare(requests, most);
    shares.put(Work.CALLER, new PoolShare(requests, MOST_FOR_CALLERS));
    shares.put(Work.WATCH, new PoolShare(requests, MOST_WATCHES));
    shares.put(Work.POLL, new PoolShare(requests, MOST_POLLS));
    shares.put(Work.WITHDRAWAL, new PoolShare(requests, MOST_WITHDRAWALS));
    timer.setRemoveOnCancelPolicy(true);
    timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    lanes.put(Lane.COMPLETION, new Crew("callback", MOST_CALLBACKS));
    lanes.put(Lane.HAND_ON, new Crew("handon", MOST_CALLBACKS));
    lanes.put(Lane.LOSS, new Crew("loss", MOST_CALLBACKS));
    lanes.put(Lane.EVENT, new Crew("event", MOST_CALLBACKS));
    // Each leadership runs one task at a time; none may keep another from its end
    lanes.put(Lane.LEADER, new Crew("leader", Integer.MAX_VALUE));
    lanes.put(Lane.ENGINE, new Crew("engine", MOST_CONTINUATIONS));
  }

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    if (delayNanos >= TICK_NANOS && isFirst(delayNanos)) {
      tick();
    }
    ScheduledFuture<?> future = timer.schedule(logged(task), delayNanos, TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Whether a timer would become the first of all, which wakes the timer's thread. */
  private boolean isFirst(long delayNanos) {
    return !(timer.getQueue().peek() instanceof Delayed first)
        || first.getDelay(TimeUnit.NANOSECONDS) > delayNanos;
  }

  /**
   * Nearly all timers are taken back soon, those of requests for example, so each would be the
   * first again. One that does nothing is due before them.
   */
  private void tick() {
    if (!ticking.get() && ticking.compareAndSet(false, true)) {
      ScheduledFuture<?> unused =
          timer.schedule(() -> ticking.set(false), TICK_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void request(Runnable task) {
    if (!requests.isShutdown()) {
      other.execute(task);
    }
  }

  @Override
  public void request(Work work, Runnable task) {
    shares.getOrDefault(work, other).execute(task);
  }

  @Override
  public void renewal(Runnable task) {
    renewals.execute(logged(task));
  }

  @Override
  public void callback(Runnable task) {
    callback(Lane.COMPLETION, task);
  }

  @Override
  public void callback(Lane lane, Runnable task) {
    requireNonNull(lanes.get(lane)).run(task);
  }

  @Override
  public void close() {
    close(LAST_TASKS);
  }

  @Override
  public void close(Duration most) {
    List<ThreadPoolExecutor> pools = List.of(timer, requests, renewals);
    pools.forEach(ThreadPoolExecutor::shutdownNow);
    other.clear();
    shares.values().forEach(PoolShare::clear);
    lanes.values().forEach(Crew::endWhenIdle);
    // A close from a thread of this client must not wait for itself.
    if (Thread.currentThread() instanceof Worker worker && worker.of == this) {
      return;
    }
    long end = System.nanoTime() + most.toNanos();
    boolean ended = true;
    boolean interrupted = false;
    try {
      for (ThreadPoolExecutor pool : pools) {
        ended &= pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      for (Crew crew : lanes.values()) {
        ended &= crew.awaitEnd(end);
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    lanes.values().forEach(Crew::interrupt);
    List<String> running = ended ? List.of() : running();
    if (!running.isEmpty()) {
      Log.warn(
          "a task of a closed client still runs (an event listener, a callback or a request): "
              + String.join(", ", running));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The threads that have not ended, each with the calls that it is in. */
  private List<String> running() {
    List<String> running = new ArrayList<>();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread instanceof Worker worker && worker.of == this) {
                running.add(thread.getName() + " in " + callsIn(stack));
              }
            });
    return running;
  }

  /** The innermost calls that are not of the JDK. */
  private static String callsIn(StackTraceElement[] stack) {
    return Stream.of(stack)
        .filter(call -> !call.getClassName().matches("(java|jdk|sun)\\..*"))
        .limit(MOST_CALLS_NAMED)
        .map(call -> call.toString().replaceFirst(".*//", ""))
        .collect(Collectors.joining(" of "));
  }

  private Runnable logged(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        // Not here: this may be the timer, and a logger may block
        callback(Lane.EVENT, () -> Log.error("a task of the engine failed; please report this", e));
        if (e instanceof Error error) {
          throw error;
        }
      }
    };
  }

  private ThreadPoolExecutor pool(String role, int size, RejectedExecutionHandler whenClosed) {
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

  private ThreadFactory named(String role) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Worker made = new Worker(this, task, PREFIX + role + "-" + count.incrementAndGet());
      starting.accept(made);
      return made;
    };
  }

  /** Inherits only the thread group from the caller that first needs it. */
  private static final class Worker extends Thread {
    final Threads of;

    Worker(Threads of, Runnable task, String name) {
      super(null, task, name, 0, false);
      this.of = of;
      setDaemon(true);
      setContextClassLoader(Threads.class.getClassLoader());
    }
  }

  /**
   * The threads of one lane: one more whenever all are busy, up to a limit; beyond it tasks wait.
   * Closed they go on until nothing is left to do.
   */
  private final class Crew {
    private final int most;
    private final ThreadFactory factory;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition work = mutex.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Set<Thread> alive = new HashSet<>();
    private int idle;
    private long idleNanos = TimeUnit.SECONDS.toNanos(IDLE_SECONDS);

    Crew(String role, int most) {
      this.most = most;
      this.factory = named(role);
    }

    void run(Runnable task) {
      mutex.lock();
      try {
        tasks.add(task);
        serve();
      } finally {
        mutex.unlock();
      }
    }

    private void serve() {
      if (tasks.size() <= idle) {
        work.signal();
      } else if (alive.size() < most) {
        start();
      }
    }

    private void start() {
      try {
        Thread thread = factory.newThread(this::work);
        thread.start();
        alive.add(thread);
      } catch (OutOfMemoryError e) {
        // No more threads: the task waits for those there are, or for a later attempt to start one
        Timer unused = schedule(this::serveLater, NO_THREAD_PAUSE_NANOS);
      }
    }

    private void serveLater() {
      mutex.lock();
      try {
        if (!tasks.isEmpty()) {
          serve();
        }
      } finally {
        mutex.unlock();
      }
    }

    private void work() {
      for (Runnable task = next(); task != null; task = next()) {
        try {
          task.run();
        } catch (RuntimeException | Error e) {
          Log.error("a callback failed", e);
        }
        // Meant for the task that is over
        Thread.interrupted();
      }
    }

    private @Nullable Runnable next() {
      mutex.lock();
      try {
        idle++;
        long left = idleNanos;
        while (tasks.isEmpty() && left > 0) {
          try {
            long stillLeft = work.awaitNanos(left);
            // It was closed meanwhile, perhaps
            left = Math.min(stillLeft, idleNanos);
          } catch (InterruptedException e) {
            // Comes too late for its task
          }
        }
        Runnable task = tasks.poll();
        if (task == null) {
          alive.remove(Thread.currentThread());
          work.signalAll();
        }
        return task;
      } finally {
        idle--;
        mutex.unlock();
      }
    }

    void endWhenIdle() {
      mutex.lock();
      try {
        idleNanos = 0;
        work.signalAll();
      } finally {
        mutex.unlock();
      }
    }

    boolean awaitEnd(long end) throws InterruptedException {
      List<Thread> threads;
      mutex.lock();
      try {
        threads = new ArrayList<>(alive);
      } finally {
        mutex.unlock();
      }
      for (Thread thread : threads) {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
      }
      return threads.stream().noneMatch(Thread::isAlive);
    }

    void interrupt() {
      mutex.lock();
      try {
        alive.forEach(Thread::interrupt);
      } finally {
        mutex.unlock();
      }
    }
  }
}
