package io.leasehold;

import java.time.Duration;
import java.util.List;

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
   */
  void ensureHeld(Duration atLeast);

  /** Runs {@code callback} once as soon as the first of them is lost; see {@link Lease#onLost}. */
  void onLost(Runnable callback);

  /**
   * Releases all, also if the release of one fails. Idempotent; not interruptible.
   *
   * @throws LeaseLostException if one was lost before
   * @throws StoreException if the outcome of one is unknown
   */
  void release();

  /** Same as {@link #release()}. */
  @Override
  default void close() {
    release();
  }
}
