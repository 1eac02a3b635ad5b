package io.leasehold.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for a future in bounded time. */
final class Waits {
  private Waits() {}

  /** Waits until it is done or the deadline has passed, also while interrupted; keeps the flag. */
  static void uninterruptibly(CompletableFuture<?> future, Deadline until, Clock clock) {
    boolean interrupted = false;
    while (!future.isDone()) {
      try {
        future.get(Math.max(0, until.left(clock.nanos())), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (TimeoutException | ExecutionException e) {
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
