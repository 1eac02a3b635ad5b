package io.leasehold;

import java.time.Duration;
import java.util.List;

/**
 * Who held and who waited for one lock name, at the moment the store was asked. For people and
 * diagnosis: it may be out of date before it is read, so never decide by it whether to act; acquire
 * the lock for that.
 *
 * @param name the lock name
 * @param holders the live leases; empty if the name was free
 * @param waiters the waiters the store knows of, longest wait first; waiters queued inside a
 *     process that holds or contends already count as one
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
   * @param holder who holds it, readable: host, process id, thread (the first 128 characters of its
   *     name, or # and its number if it has none, as a virtual thread), and {@link
   *     LockClientBuilder#traceId}. One line: control characters show as a question mark. If the
   *     lease was handed over to another thread since, that thread is known to its own client only,
   *     and others name the one that took it
   * @param mode how it shares the name
   * @param permits how many permits it has; 1 unless the mode is {@link LockMode#PERMITS}
   * @param fencingToken the first fencing token of the grant; hand-overs inside the holder's
   *     process add to its low ten bits
   * @param heldFor how long ago the store granted it
   * @param remaining how long it still lives if it is not renewed
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
   * @param holder who waits, readable: host, process id, thread, and {@link
   *     LockClientBuilder#traceId}
   * @param mode how it would share the name
   * @param waitedFor how long ago it began to wait
   */
  public record Waiter(String leaseId, String holder, LockMode mode, Duration waitedFor) {}
}
