package io.leasehold;

import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What the holder of a {@link MultiLock} has: a lease of each. Thread-safe. */
public interface MultiLease extends AutoCloseable {
  /**
   * The lease of one of the locks, for its fencing token. Release all, not this one.
   *
   * @throws IllegalArgumentException if the name is not one of them
   */
  Lease get(String name);

  /** The leases of all, in the order in which they were taken. */
  List<Lease> leases();

  /** Whether each is certainly held at this moment; see {@link Lease#isHeld()}. No network. */
  boolean isHeld();

  /** How much longer all are certainly held if no renewal succeeds. No network. */
  Duration remaining();

  /**
   * Makes sure that each is held for at least {@code atLeast} from now; see {@link
   * Lease#ensureHeld}. One request at most for each.
   *
   * @throws LeaseLostException if one is lost, or was released
   * @throws LeaseTooShortException if one is held, and ends sooner
   * @throws StoreException if the renewal of one had an unknown outcome and less remains
   */
  void ensureHeld(Duration atLeast);

  /**
   * Runs {@code callback} once as soon as the first of them is lost; see {@link
   * Lease#onLost(Runnable)}.
   *
   * @return takes the callback back
   */
  default Lease.Registration onLost(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return onLost(reason -> callback.run());
  }

  /** As {@link #onLost(Runnable)}; the callback is given the reason. */
  Lease.Registration onLost(Consumer<LockEvent.Lost.Reason> callback);

  /**
   * Runs {@code callback} each time that one of them comes into jeopardy; see {@link
   * Lease#onJeopardy}.
   *
   * @return takes the callback back
   */
  Lease.Registration onJeopardy(Consumer<Duration> callback);

  /**
   * Releases all, also if the release of one fails. Idempotent; not interruptible.
   *
   * @throws LeaseLostException if one was lost before
   * @throws StoreException if the outcome of one is unknown
   */
  void release();

  /**
   * As {@link #release()}, without waiting; see {@link Lease#releaseAsync()}.
   *
   * @return completes once all are released, or with what {@code release} would throw
   */
  CompletableFuture<Void> releaseAsync();

  /** Same as {@link #release()}. */
  @Override
  default void close() {
    release();
  }
}
