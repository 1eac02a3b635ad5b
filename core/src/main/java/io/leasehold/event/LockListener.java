package io.leasehold.event;

/**
 * Is told what happens to the leases of one client, one event after another, in order, on threads
 * of the client. A slow listener delays its own later events, never a lock, a callback or another
 * listener; what it throws is logged and goes no further. Beyond 10,000 events in arrears new ones
 * are dropped and counted in the log; those of loss, jeopardy, unknown outcome and warnings of the
 * store only beyond 100,000, so that no flood of the others hides them.
 */
@FunctionalInterface
public interface LockListener {
  /**
   * Called for each event; switch over the sealed {@link LockEvent}. New kinds may be added: ignore
   * those you do not know.
   */
  void on(LockEvent event);
}
