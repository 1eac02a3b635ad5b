package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.spi.support.Log;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Work of the user under a lock that no thread waits for. The lease ends with the work's stage. */
final class AsyncScope<T extends @Nullable Object> {
  private final CompletableFuture<Lease> wait;
  private final Executor completer;
  private final Function<? super Lease, ? extends CompletionStage<T>> work;
  private final CompletableFuture<T> told = new CompletableFuture<>();

  /** The stage of the work, once it has begun. */
  private volatile @Nullable CompletionStage<T> working;

  private AsyncScope(
      CompletableFuture<Lease> wait,
      Executor completer,
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    this.wait = wait;
    this.completer = completer;
    this.work = work;
  }

  /**
   * Runs the work once {@code wait} yields a lease, and where that completes.
   *
   * @param completer where the future completes
   */
  static <T extends @Nullable Object> CompletableFuture<T> of(
      CompletableFuture<Lease> wait,
      Executor completer,
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    AsyncScope<T> scope = new AsyncScope<>(wait, completer, work);
    CompletableFuture<Lease> unusedWait = wait.whenComplete(scope::begin);
    CompletableFuture<T> unused = scope.told.whenComplete((value, thrown) -> scope.cancel());
    return scope.told;
  }

  private void begin(@Nullable Lease lease, @Nullable Throwable thrown) {
    if (lease == null) {
      told.completeExceptionally(requireNonNull(thrown));
      return;
    }
    Hold hold = (Hold) lease;
    if (told.isDone()) {
      end(hold, null, null);
      return;
    }
    CompletionStage<T> stage;
    try {
      stage = requireNonNull(work.apply(hold), "the work under a lock returned no stage");
    } catch (Throwable e) {
      // Whatever it was, the lock must not stay
      end(hold, null, e);
      return;
    }
    working = stage;
    CompletionStage<T> unused =
        stage.whenComplete((value, failed) -> end(hold, value, cause(failed)));
    if (told.isDone()) {
      cancel();
    }
  }

  /** What a stage that depends on another wraps its failure in. */
  private static @Nullable Throwable cause(@Nullable Throwable failed) {
    return failed instanceof CompletionException && failed.getCause() != null
        ? failed.getCause()
        : failed;
  }

  private void cancel() {
    wait.cancel(true);
    CompletionStage<T> stage = working;
    if (stage != null) {
      stage.toCompletableFuture().cancel(true);
    }
  }

  /** What the work failed with goes before what the release fails with. */
  private void end(Hold hold, @Nullable T value, @Nullable Throwable failed) {
    CompletableFuture<Void> unused =
        hold.releaseOn(completer)
            .whenComplete((nothing, notReleased) -> tell(value, failed, notReleased));
  }

  @SuppressWarnings("NullAway") // a value may be null where the user's type says so
  private void tell(
      @Nullable T value, @Nullable Throwable failed, @Nullable Throwable notReleased) {
    if (failed != null) {
      if (notReleased != null) {
        failed.addSuppressed(notReleased);
      }
      told.completeExceptionally(failed);
    } else if (notReleased == null) {
      told.complete(value);
    } else if (notReleased instanceof StoreException) {
      // As withLock: told as an event and in the log, and it does not take the result away
      Log.warn(String.valueOf(notReleased.getMessage()));
      told.complete(value);
    } else {
      told.completeExceptionally(notReleased);
    }
  }
}
