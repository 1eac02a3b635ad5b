package io.leasehold.testkit.simulation;

import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The threads of one simulation, and the turn that they give each other. */
final class Strands {
  /** Longer than any of them computes, on the slowest machine. */
  private static final long LONGEST_TURN_SECONDS = 120;

  private static final ExecutorService CARRIERS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "simulated");
            thread.setDaemon(true);
            return thread;
          });

  private final Timeline time;
  private final Trace trace;
  private final BiConsumer<Strand, Throwable> whatIsThrown;
  private final Consumer<String> whatIsLogged;
  private final Semaphore timeline = new Semaphore(0);
  private final List<Strand> alive = new ArrayList<>();
  private final Map<Thread, Strand> byThread = new HashMap<>();
  private volatile boolean over;

  Strands(
      Timeline time,
      Trace trace,
      BiConsumer<Strand, Throwable> whatIsThrown,
      Consumer<String> whatIsLogged) {
    this.time = time;
    this.trace = trace;
    this.whatIsThrown = whatIsThrown;
    this.whatIsLogged = whatIsLogged;
  }

  Timeline time() {
    return time;
  }

  Trace trace() {
    return trace;
  }

  boolean isOver() {
    return over;
  }

  void thrown(Strand strand, Throwable thrown) {
    if (!over) {
      whatIsThrown.accept(strand, thrown);
    }
  }

  void logged(String level) {
    if (!over) {
      whatIsLogged.accept(level);
    }
  }

  /** Begins one after a delay. */
  Strand start(String name, long delay, Runnable body) {
    Strand strand = new Strand(name, this);
    alive.add(strand);
    time.in(
        delay,
        () -> {
          CARRIERS.execute(() -> strand.live(body));
          resume(strand);
        });
    return strand;
  }

  /** Lets it run until it waits or ends. On the thread of the timeline. */
  void resume(Strand strand) {
    if (strand.hasEnded()) {
      return;
    }
    strand.giveTurn();
    boolean yielded;
    try {
      yielded = timeline.tryAcquire(LONGEST_TURN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a simulation was interrupted", e);
    }
    if (!yielded) {
      throw new Violation(
          Check.THREAD_STUCK,
          strand
              + " waits where the simulation cannot see it, not by Scheduler: "
              + Arrays.toString(strand.thread().getStackTrace()));
    }
    if (strand.hasEnded()) {
      alive.remove(strand);
      byThread.remove(strand.thread());
    }
  }

  /** It waits, or has ended. */
  void yielded() {
    timeline.release();
  }

  void lives(Strand strand) {
    byThread.put(strand.thread(), strand);
  }

  /** The strand on this thread; null if it runs none of this simulation. */
  Strand of(Thread thread) {
    return byThread.get(thread);
  }

  List<Strand> alive() {
    return alive;
  }

  /** Waits in virtual time; what it throws is the future's. */
  static <T> T join(CompletableFuture<T> future, long delay) {
    Strand me = Strand.current();
    if (me != null && !future.isDone()) {
      boolean interrupted = false;
      future.whenComplete((value, failure) -> me.unpark(delay));
      while (!future.isDone()) {
        me.park(Long.MAX_VALUE);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return future.join();
  }

  /** Ends all that still run. On the thread of the timeline. */
  void end() {
    over = true;
    for (Strand strand : List.copyOf(alive)) {
      if (strand.thread() != null && !strand.hasEnded()) {
        strand.giveTurn();
      }
    }
  }
}
