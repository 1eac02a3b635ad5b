package io.leasehold.internal;

import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Work;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * On which thread a request runs. A store whose verbs do not block is called wherever the engine
 * happens to be. One whose verbs block is called on the thread of the caller that waits for the
 * answer, since a hop to another thread costs more than the request; the engine's own requests run
 * on its own threads. So do those of virtual threads: what interrupts one would close the socket
 * under it, which others share.
 */
final class Dispatch {
  private final Engine engine;
  private final boolean blocking;

  Dispatch(Engine engine, Calls calls) {
    this.engine = engine;
    this.blocking = calls == Calls.BLOCKING;
  }

  /** A request for a caller. */
  void forCaller(@Nullable Waiter caller, CallerRequest request, Steps steps) {
    if (!blocking) {
      steps.add(request);
    } else if (caller == null || !lendsItsThread(caller)) {
      steps.add(request::runElsewhere);
    } else if (Thread.currentThread().equals(caller.thread)) {
      // One that was interrupted meanwhile is to leave, not to make another request
      steps.add(Thread.currentThread().isInterrupted() ? request::runElsewhere : request);
    } else {
      caller.send(request, steps);
    }
  }

  private static boolean lendsItsThread(Waiter caller) {
    Thread thread = caller.thread;
    return thread != null && caller.outcome() == null && !VirtualThreads.isVirtual(thread);
  }

  /** How long a request for this caller may take for the sake of the thread it runs on. */
  long timeLeft(@Nullable Waiter caller) {
    boolean borrowed = blocking && caller != null && Thread.currentThread().equals(caller.thread);
    if (!borrowed || caller == null) {
      return Long.MAX_VALUE;
    }
    long now = engine.clock.nanos();
    return caller.intent == Intent.TRY
        ? engine.requestNanos - (now - caller.since)
        : caller.deadline.left(now);
  }

  /**
   * Work of the engine's own that makes requests; dropped once it is closed. It lets leases go that
   * nothing else would, so it is tried again until there is a thread for it.
   */
  void background(Runnable request) {
    if (!blocking) {
      request.run();
      return;
    }
    try {
      engine.scheduler.request(request);
    } catch (OutOfMemoryError e) {
      engine.scheduler.schedule(() -> background(request), Scheduler.NO_THREAD_PAUSE_NANOS);
    }
  }

  /** A poll; dropped once the engine is closed. */
  void poll(Runnable request) {
    if (!blocking) {
      request.run();
      return;
    }
    try {
      engine.scheduler.request(Work.POLL, request);
    } catch (RejectedExecutionException closed) {
      // Nobody waits any more
    }
  }

  /** A batch of renewals. */
  void renewal(Runnable request) {
    if (blocking) {
      engine.scheduler.renewal(request);
    } else {
      request.run();
    }
  }
}
