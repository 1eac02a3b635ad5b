package io.leasehold.internal;

import io.leasehold.spi.Traits.Calls;
import org.jspecify.annotations.Nullable;

/**
 * On which thread a request runs. A store whose verbs do not block is called wherever the engine
 * happens to be. One whose verbs block is called on the thread of the caller that waits for the
 * answer, since a hop to another thread costs more than the request; the engine's own requests run
 * on its own threads.
 */
final class Dispatch {
  private final Engine engine;
  private final boolean blocking;

  Dispatch(Engine engine, Calls calls) {
    this.engine = engine;
    this.blocking = calls == Calls.BLOCKING;
  }

  /** A request for a caller. */
  void forCaller(@Nullable Waiter caller, Runnable request, Steps steps) {
    if (!blocking) {
      steps.add(request);
    } else if (caller == null || caller.thread == null || caller.outcome() != null) {
      steps.add(() -> engine.scheduler.request(request));
    } else if (Thread.currentThread().equals(caller.thread)) {
      steps.add(request);
    } else {
      caller.send(request, steps);
    }
  }

  /** How long a request for this caller may take for the sake of the thread it runs on. */
  long timeLeft(@Nullable Waiter caller) {
    boolean borrowed = blocking && caller != null && Thread.currentThread().equals(caller.thread);
    Deadline deadline = borrowed && caller != null ? caller.deadline : Deadline.NONE;
    return deadline.left(engine.clock.nanos());
  }

  /** A request of the engine's own. */
  void background(Runnable request) {
    if (blocking) {
      engine.scheduler.request(request);
    } else {
      request.run();
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
