package io.leasehold;

import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A grant of a {@link MultiLock}: one lease for each of its locks. Thread-safe. */
public interface MultiLease extends AutoCloseable {
  /**
   * The lease of one of the locks, for its fencing token. Release this object, not the single
   * lease.
   *
   * @throws IllegalArgumentException if no lock of this lease has the name
   */
  Lease get(String name);

  /** All leases, in the order in which they were acquired. */
  List<Lease> leases();

  /**
   * Whether every lease is certainly held at this moment; see {@link Lease#isHeld()}. Uses no
   * network.
   */
  boolean isHeld();

  /** How much longer all leases are certainly held if no renewal succeeds. Uses no network. */
  Duration remaining();

  /**
   * Ensures that every lease is held for at least {@code atLeast} from now; see {@link
   * Lease#ensureHeld}. Sends at most one request for each.
   *
   * @throws LeaseLostException if one of the leases is lost, or was released
   * @throws LeaseTooShortException if one of the leases is held, but ends sooner
   * @throws StoreException if the renewal of one had an unknown outcome and less remains
   */
  void ensureHeld(Duration atLeast);

  /**
   * Runs {@code callback} once, as soon as the first of the leases is lost; see {@link
   * Lease#onLost(Runnable)}.
   *
   * @return a registration that removes the callback
   */
  default Lease.Registration onLost(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return onLost(reason -> callback.run());
  }

  /** As {@link #onLost(Runnable)}; the callback receives the reason. */
  Lease.Registration onLost(Consumer<LockEvent.Lost.Reason> callback);

  /**
   * Runs {@code callback} each time that one of the leases comes into jeopardy; see {@link
   * Lease#onJeopardy}.
   *
   * @return a registration that removes the callback
   */
  Lease.Registration onJeopardy(Consumer<Duration> callback);

  /**
   * Releases all leases, even if the release of one fails. Idempotent; not interruptible.
   *
   * @throws LeaseLostException if one was lost before
   * @throws StoreException if the outcome of one is unknown
   */
  void release();

  /**
   * As {@link #release()}, without waiting; see {@link Lease#releaseAsync()}.
   *
   * @return a future that completes once all leases are released, or with what {@code release}
   *     would throw
   */
  CompletableFuture<Void> releaseAsync();

  /** Same as {@link #release()}. */
  @Override
  default void close() {
    release();
  }
}
