package io.leasehold;

import io.leasehold.event.LockEvent;
import java.time.Duration;

/**
 * Hears what becomes of one candidate. Its methods are called one after another and in order, on a
 * thread that no other leadership shares; it may resign from any of them.
 *
 * <p>The work of the leader may run inside {@link #elected}, or be started there. Inside, the end
 * of the term interrupts it, and what has happened meanwhile follows once it has returned: use
 * {@link Lease#onJeopardy} and {@link Lease#onLost} of its lease to hear of that at once. Started
 * elsewhere, the work must be stopped by {@link #lost}. In either case ask {@link Lease#isHeld()}
 * before each step.
 *
 * <p>If {@code elected} throws, the exception is logged, and the candidate steps down: it releases
 * the lease and takes part again after the pause, so that another can lead. Exceptions of the other
 * methods are only logged.
 */
@FunctionalInterface
public interface LeadershipListener {
  /**
   * This candidate leads from now on. It goes on leading when this method returns. Not called if
   * the term ended before it could be; then no other method is called for that term.
   *
   * @param term the lease; to release it is to step down, and to take part again after the pause
   * @throws InterruptedException if interrupted, as this method is when the term ends while it runs
   */
  void elected(Lease term) throws InterruptedException;

  /**
   * Renewal has failed for two thirds of the ttl: the time to bring the work to a safe end. This
   * candidate still leads.
   *
   * @param remaining how much longer it leads if no renewal succeeds
   */
  default void jeopardy(Duration remaining) {}

  /** Renewal has succeeded again: the jeopardy is over. */
  default void recovered() {}

  /**
   * This candidate leads no more: its lease was lost, and another may lead now. It takes part again
   * after this method has returned, unless the client was closed.
   */
  default void lost(LockEvent.Lost.Reason reason) {}

  /**
   * This candidate cannot take part now: the store cannot be reached, or refuses. It tries again
   * after this method has returned, and the pause; to give up, resign.
   */
  default void failed(RuntimeException why) {}

  /** This candidate leads no more: it resigned, or released the lease of its term. */
  default void resigned() {}
}
