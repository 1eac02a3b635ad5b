package io.leasehold.internal;

import io.leasehold.LockTimeoutException;
import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** On which threads futures are completed, and with that what depends on them runs. */
final class Completers {
  /** Threads of the client that may run code of the user. */
  final Executor ofClient;

  /** Where only the engine goes on. */
  final Executor ofEngine;

  private final Scheduler scheduler;

  Completers(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.ofClient = task -> scheduler.callback(Lane.COMPLETION, task);
    this.ofEngine = task -> scheduler.callback(Lane.ENGINE, task);
  }

  /** An executor of the user. If it refuses, a thread of the client: a lease must not be lost. */
  Executor ofUser(Executor executor) {
    return task -> scheduler.callback(Lane.HAND_ON, () -> handOn(executor, task));
  }

  /** A copy of a future that completes there, and can be cancelled without harm. */
  static <T extends @Nullable Object> CompletableFuture<T> hop(
      CompletableFuture<T> from, Executor completer) {
    CompletableFuture<T> told = new CompletableFuture<>();
    CompletableFuture<T> unused =
        from.whenComplete(
            (value, failed) -> completer.execute(() -> complete(told, value, failed)));
    return told;
  }

  private static <T extends @Nullable Object> void complete(
      CompletableFuture<T> told, T value, @Nullable Throwable failed) {
    if (failed == null) {
      told.complete(value);
    } else {
      told.completeExceptionally(failed);
    }
  }

  private void handOn(Executor executor, Runnable task) {
    AtomicBoolean begun = new AtomicBoolean();
    Runnable once =
        () -> {
          if (begun.compareAndSet(false, true)) {
            task.run();
          }
        };
    try {
      executor.execute(once);
    } catch (RuntimeException | Error e) {
      ofClient.execute(once);
      Log.error("an executor that was given to acquireAsync refused a task", e);
    }
  }

  /**
   * An acquisition by a future that says empty where another says that the lock is busy. Completes
   * where {@code wait} does. Cancelled, it gives up the wait.
   *
   * @param letGo for what is granted at the moment at which it is cancelled
   */
  static <T> CompletableFuture<Optional<T>> tried(CompletableFuture<T> wait, Consumer<T> letGo) {
    CompletableFuture<Optional<T>> told = new CompletableFuture<>();
    CompletableFuture<T> unusedWait =
        wait.whenComplete((granted, thrown) -> answered(told, granted, thrown, letGo));
    CompletableFuture<Optional<T>> unused = told.whenComplete((end, thrown) -> wait.cancel(true));
    return told;
  }

  private static <T> void answered(
      CompletableFuture<Optional<T>> told,
      @Nullable T granted,
      @Nullable Throwable thrown,
      Consumer<T> letGo) {
    if (granted != null) {
      if (!told.complete(Optional.of(granted))) {
        letGo.accept(granted);
      }
    } else if (thrown instanceof LockTimeoutException) {
      told.complete(Optional.empty());
    } else if (thrown != null) {
      told.completeExceptionally(thrown);
    }
  }
}
