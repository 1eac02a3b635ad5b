package io.leasehold.event;

/**
 * Receives the events of one client, one after another and in order, on threads of the client. A
 * slow listener delays only its later events, never a lock, a callback or another listener;
 * exceptions of a listener are logged. If a listener is more than 10,000 events behind, new ones
 * are dropped and counted in the log; events of loss, jeopardy, unknown outcome and warnings of the
 * store only beyond 100,000, so that a flood of other events cannot hide them.
 */
@FunctionalInterface
public interface LockListener {
  /**
   * Called for each event; switch over the sealed {@link LockEvent}. Later versions may add events:
   * ignore those you do not know.
   */
  void on(LockEvent event);
}
