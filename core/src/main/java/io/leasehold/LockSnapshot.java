package io.leasehold;

import java.time.Duration;
import java.util.List;

/**
 * The holders and waiters of one lock name at the moment of the request. For people and diagnosis:
 * a snapshot may be out of date when it arrives, so never decide by it whether to act; acquire the
 * lock for that.
 *
 * @param name the lock name
 * @param holders the live leases; empty if the name was free
 * @param waiters the waiters that the store knows, longest wait first; the waiters inside a process
 *     that holds the lock or already waits for it count as one. Fair callers of one process that
 *     are served one after another by one grant are listed here until its lease goes back to the
 *     store; once the grant is a second old, it serves no further caller
 */
public record LockSnapshot(String name, List<Holder> holders, List<Waiter> waiters) {
  /** Copies the lists. */
  public LockSnapshot {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /**
   * A live lease.
   *
   * @param leaseId the id of the lease
   * @param holder the holder in readable form: host, process id, thread (the first 128 characters
   *     of its name, or # and its number if it has none, as a virtual thread), and {@link
   *     LockClientBuilder#traceId}. One line: control characters show as a question mark. If the
   *     process has handed the lease over to another thread since, only its client knows that
   *     thread, and other clients name the thread that acquired the lease
   * @param mode how the lease shares the name
   * @param permits how many permits it holds; 1 unless the mode is {@link LockMode#PERMITS}
   * @param fencingToken the first fencing token of the grant; hand-overs inside the holder's
   *     process add to its low ten bits
   * @param heldFor the time since the store granted it
   * @param remaining the time until it expires without renewal
   */
  public record Holder(
      String leaseId,
      String holder,
      LockMode mode,
      int permits,
      long fencingToken,
      Duration heldFor,
      Duration remaining) {}

  /**
   * A waiter.
   *
   * @param leaseId the id under which it waits
   * @param holder the waiter in readable form: host, process id, thread, and {@link
   *     LockClientBuilder#traceId}
   * @param mode how its lease would share the name
   * @param waitedFor the time since it began to wait
   */
  public record Waiter(String leaseId, String holder, LockMode mode, Duration waitedFor) {}
}
