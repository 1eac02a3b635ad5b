package io.leasehold.internal;

import io.leasehold.spi.support.Scheduler.Lane;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * How a client ends, within its close timeout: first its waits, then its leases, then its threads
 * and connections.
 */
final class Closing {
  private static final long CHECK_NANOS = 2_000_000;

  /** What is left for threads and connections if the leases take all the time there is. */
  private static final int LAST_PART = 10;

  private final Engine engine;
  private final Duration timeout;
  private final boolean waitsForHolders;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final AtomicBoolean shutDown = new AtomicBoolean();
  private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
  private volatile Deadline deadline = Deadline.NONE;

  Closing(Engine engine, EngineConfig config) {
    this.engine = engine;
    this.timeout = config.closeTimeout();
    this.waitsForHolders = config.closeWaitsForHolders();
  }

  boolean hasBegun() {
    return begun.get();
  }

  /** Completes once nothing is held and waited for, or the time for that is over. */
  CompletableFuture<@Nullable Void> drained() {
    return drained;
  }

  /** Closes, and waits for the end. */
  void run() {
    drain();
    drained.join();
    if (shutDown.compareAndSet(false, true)) {
      endRequests();
      CompletableFuture<@Nullable Void> storeClosed = new CompletableFuture<>();
      // On another thread: it ends in bounded time, but whether in ours is not known
      engine.scheduler.callback(
          Lane.EVENT,
          () -> {
            try {
              engine.store.close();
            } finally {
              storeClosed.complete(null);
            }
          });
      deadline.await(storeClosed, engine);
      engine.scheduler.close(timeLeft());
    }
  }

  /** Closes without waiting. */
  CompletionStage<Void> begin() {
    drain();
    return drained.thenRun(
        () -> {
          if (shutDown.compareAndSet(false, true)) {
            endRequests();
            engine.store.close();
            engine.scheduler.close();
          }
        });
  }

  private void drain() {
    if (begun.compareAndSet(false, true)) {
      long now = engine.clock.nanos();
      deadline = Deadline.in(timeout, now);
      engine.candidates.forEach(waitsForHolders ? Candidate::resignLater : Candidate::leave);
      List.copyOf(engine.names.values()).forEach(NameQueue::closeWaits);
      awaitHolders(Deadline.in(timeout.minus(timeToRelease()), now));
    }
  }

  /** What holders leave of the time, so that what they still hold can be released. */
  private Duration timeToRelease() {
    Duration half = timeout.dividedBy(2);
    return engine.requestTimeout.compareTo(half) < 0 ? engine.requestTimeout : half;
  }

  private void awaitHolders(Deadline until) {
    if (!waitsForHolders || engine.names.isEmpty() || until.hasPassed(engine.clock.nanos())) {
      List.copyOf(engine.names.values()).forEach(NameQueue::closeLeases);
      awaitDrained();
    } else {
      engine.scheduler.schedule(() -> awaitHolders(until), CHECK_NANOS);
    }
  }

  private void awaitDrained() {
    boolean isEmpty =
        engine.names.isEmpty() && engine.keeper.size() == 0 && engine.limbo.size() == 0;
    if (isEmpty || timeLeft().compareTo(timeout.dividedBy(LAST_PART)) <= 0) {
      drained.complete(null);
    } else {
      engine.scheduler.schedule(this::awaitDrained, CHECK_NANOS);
    }
  }

  private Duration timeLeft() {
    return Duration.ofNanos(Math.max(0, deadline.left(engine.clock.nanos())));
  }

  private void endRequests() {
    engine.calls.close();
    engine.limbo.close();
    engine.warnings.sumUp();
  }
}
