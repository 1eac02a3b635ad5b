package io.leasehold.internal;

import io.leasehold.LockTimeoutException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An acquisition by a future that says empty where another says that the lock is busy. */
final class Tried {
  private Tried() {}

  /**
   * Completes where {@code wait} does. Cancelled, it gives up the wait.
   *
   * @param letGo for what is granted at the moment at which it is cancelled
   */
  static <T> CompletableFuture<Optional<T>> of(CompletableFuture<T> wait, Consumer<T> letGo) {
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
