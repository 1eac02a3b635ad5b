package io.leasehold.internal;

import io.leasehold.StoreException;
import io.leasehold.spi.Release;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A holder that lets its lease go: sends that to the store, if it must, and tells the holder how it
 * ended. Guarded by its queue's mutex where nothing else is said.
 */
final class Leaving
    implements Runnable, Supplier<CompletionStage<Release>>, StoreCalls.Answer<Release> {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  final Hold hold;

  /** Null until it has ended, or somebody asks for its end. Read without the mutex. */
  private volatile @Nullable CompletableFuture<Void> end;

  Leaving(Hold hold) {
    this.hold = hold;
  }

  /** Sends it. Without the mutex. */
  @Override
  public void run() {
    Grant grant = hold.grant;
    Engine engine = grant.queue.engine;
    // Renewal ends before the release is sent, so that none can outlive it.
    engine.keeper.remove(grant);
    engine.calls.call(this, engine.requestNanos, this);
  }

  @Override
  public CompletionStage<Release> get() {
    Engine engine = hold.grant.queue.engine;
    return engine.store.release(hold.grant.ticket, engine.requestTimeout);
  }

  @Override
  public void now(@Nullable Release answer, @Nullable StoreException failed) {
    Grant grant = hold.grant;
    grant.queue.locked(steps -> grant.queue.engine.releaser.sentBack(grant, answer, failed, steps));
  }

  /** It has ended: well, or with what the holder is to be told. */
  void end(@Nullable RuntimeException failure, Steps steps) {
    CompletableFuture<Void> asked = end;
    if (asked == null) {
      end = failure == null ? DONE : CompletableFuture.failedFuture(failure);
    } else if (failure == null) {
      steps.add(() -> asked.complete(null));
    } else {
      steps.add(() -> asked.completeExceptionally(failure));
    }
  }

  /** Completes once it has ended. Without the mutex. */
  CompletableFuture<Void> end() {
    CompletableFuture<Void> known = end;
    return known != null ? known : hold.grant.queue.compute(steps -> endAsked());
  }

  private CompletableFuture<Void> endAsked() {
    CompletableFuture<Void> asked = end;
    if (asked == null) {
      asked = new CompletableFuture<>();
      end = asked;
    }
    return asked;
  }
}
