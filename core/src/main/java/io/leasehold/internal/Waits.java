package io.leasehold.internal;

import java.util.concurrent.CompletableFuture;

/** Waiting for a future in bounded time. */
final class Waits {
  private Waits() {}

  /** Waits until it is done or the deadline has passed, also while interrupted; keeps the flag. */
  static void uninterruptibly(CompletableFuture<?> future, Deadline until, Engine engine) {
    Thread me = Thread.currentThread();
    CompletableFuture<?> unused =
        future.whenComplete((value, thrown) -> engine.scheduler.unpark(me));
    boolean interrupted = false;
    while (!future.isDone() && !until.hasPassed(engine.clock.nanos())) {
      engine.scheduler.park(future, until.left(engine.clock.nanos()));
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      me.interrupt();
    }
  }
}
