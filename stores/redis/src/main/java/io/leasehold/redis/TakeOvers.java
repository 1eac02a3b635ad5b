package io.leasehold.redis;

import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Tells that another server has taken over, until that succeeds. Thread-safe. */
final class TakeOvers {
  private static final long AGAIN_NANOS = Duration.ofMillis(200).toNanos();

  private final Threads threads;
  private final AtomicBoolean due = new AtomicBoolean();
  private volatile Supplier<? extends CompletionStage<?>> told =
      () -> CompletableFuture.completedFuture(null);

  TakeOvers(Threads threads) {
    this.threads = threads;
  }

  /** See {@link Wire#onTakeOver}. */
  void onTakeOver(Supplier<? extends CompletionStage<?>> newTold) {
    told = newTold;
  }

  /** Another server serves now what this client asks for. On any thread. */
  void happened() {
    if (due.compareAndSet(false, true)) {
      threads.background(this::tell);
    }
  }

  private void tell() {
    due.set(false);
    CompletionStage<?> unused =
        told.get()
            .whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    Log.debug("a server that took over could not be told what has ended", failed);
                    threads.schedule(this::happened, AGAIN_NANOS);
                  }
                });
  }
}
