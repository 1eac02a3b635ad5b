package io.leasehold;

import java.time.Duration;
import java.util.Optional;

/**
 * One candidate in the election of a leader; from {@link LockClient#leadership}. Thread-safe.
 *
 * <pre>{@code
 * try (Leadership scheduler = locks.leadership("scheduler", term -> {
 *   while (term.isHeld() && !Thread.interrupted()) {
 *     fireNextJob(term.fencingToken()); // the data refuses the token of an earlier leader
 *   }
 * })) {
 *   stopped.await();
 * }
 * }</pre>
 *
 * <p>The candidate that holds the lock leads, until it resigns or loses its lease. A dead leader is
 * replaced after one ttl. Each term has a new {@link Lease} with a higher fencing token. There may
 * be two leaders for a moment: one that was paused for longer than its lease, and its successor.
 * Only the token, checked where the data lives, protects the data from the former.
 *
 * <p>After a loss the candidate takes part again by itself: once the listener has returned from
 * {@link LeadershipListener#lost}, and after a pause of one to one and a half seconds. So a
 * candidate whose listener hangs cannot win an election that it does not serve. A store that cannot
 * be reached is asked again after the same pause; the first failure is logged, and {@link
 * LeadershipListener#failed} hears of each.
 */
public interface Leadership extends AutoCloseable {
  /** The lock name. */
  String name();

  /**
   * Whether this candidate certainly leads at this moment: {@link Lease#isHeld()} of its present
   * term. Never true after the lease has ended, also in a process that resumes after a pause. Uses
   * no network.
   */
  boolean isLeader();

  /** The lease of the present term; empty if this candidate does not lead. Uses no network. */
  Optional<Lease> lease();

  /**
   * Waits until this candidate leads, at most {@code maxWait}. May return before the listener hears
   * of the election.
   *
   * @return the lease of the term; empty if this candidate was not elected in time, or has resigned
   * @throws InterruptedException if interrupted while waiting; the candidacy goes on
   * @throws ClientClosedException if the client was closed
   */
  Optional<Lease> awaitLeadership(Duration maxWait) throws InterruptedException;

  /**
   * The leader and the candidates, as the store knows them now: the holders and the waiters of
   * {@link DistributedLock#inspect()}. The candidates of one process count as one. One request.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  Optional<LockSnapshot> inspect();

  /**
   * Ends the candidacy, and the term if this candidate leads. If {@link LeadershipListener#elected}
   * still runs, it is interrupted first, and has one request timeout to return, so that its work
   * ends before another leads; a call from the listener itself does not wait for it. Then the lease
   * is released, and the listener hears {@link LeadershipListener#resigned}. To end only the term
   * and remain a candidate, release the lease.
   *
   * <p>Waits as {@link Lease#release()}; not interruptible. A candidate that does not lead leaves
   * at once and is never elected later. Idempotent; does nothing to a lease that was lost.
   *
   * @throws StoreException if the outcome of the release is unknown: the engine goes on releasing
   *     in the background, and the ttl ends the lease. The candidacy has ended
   */
  void resign();

  /** Same as {@link #resign()}. */
  @Override
  default void close() {
    resign();
  }
}
