package io.leasehold;

import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A grant of a lock: limited in time, renewed by the engine, and marked with a fencing token that
 * sets its holder apart from every other one.
 *
 * <p>The lease belongs to this object and not to a thread: any thread may use and release it.
 *
 * <p>A lease ends by {@link #release()}, or it is lost. A lost lease never comes back: {@link
 * #isHeld()} is false, {@link #ensureHeld} and the first {@link #release()} throw {@link
 * LeaseLostException}, and the {@link #onLost} callbacks run.
 */
public interface Lease extends AutoCloseable {
  /** The lock name. */
  String name();

  /** The id of this lease in the store; unique for each grant by the store. */
  String leaseId();

  /**
   * A number greater than that of every earlier lease on the same lock. Send it with each write to
   * the protected data, and let the system that keeps the data refuse a number lower than the
   * highest it has seen: only that protects the data from a holder that was paused for longer than
   * its lease. The token never changes, even after the lease was lost or released.
   *
   * @throws UnsupportedOperationException if the store has no {@link Trait#FENCING}
   */
  long fencingToken();

  /**
   * Whether this lease certainly holds the lock at this moment, by this process's monotonic clock:
   * it is neither released nor lost, and its validity has not run out. Uses no network. True
   * promises nothing about the next moment.
   *
   * <p>Also false after the host was suspended, until the store has answered a renewal.
   */
  boolean isHeld();

  /**
   * How much longer this lease certainly holds the lock if no renewal succeeds; zero if {@link
   * #isHeld()} is false. Uses no network.
   */
  Duration remaining();

  /**
   * Ensures that the lease is held for at least {@code atLeast} from now; renews it once if less
   * remains.
   *
   * <p>Waits for one request to the store, at most for the client's request timeout; not
   * interruptible. If the lease expires meanwhile, or the store answers that it is gone, it is
   * lost.
   *
   * @throws LeaseLostException if the lease is lost, or was released
   * @throws LeaseTooShortException if the lease is held, but ends sooner: because of its longest
   *     life, or because the answer was slow
   * @throws StoreException if the renewal had an unknown outcome and less than {@code atLeast}
   *     remains; the lease still stands
   * @throws IllegalArgumentException if {@code atLeast} is more than a new renewal would give
   */
  void ensureHeld(Duration atLeast);

  /**
   * Gives this lease the {@code maxHold} and the {@code minHold} of these options, counted from
   * now, in place of those it has; empty: none. Nothing else of the options matters. Uses no
   * network: the store learns of a {@code minHold} at the release.
   *
   * @throws LeaseLostException if the lease is lost, or was released; nothing changes
   * @throws UnsupportedOperationException if there is a {@code minHold}, and the leases of the
   *     store end with a session
   * @throws IllegalArgumentException if {@code minHold} is longer than the longest ttl of the store
   */
  void changeHold(LockOptions options);

  /**
   * Runs {@code callback} once if this lease is lost, on a thread of the client, as soon as the
   * process notices; at once if the lease is lost already. Never runs after {@link #release()} has
   * returned: a callback that has not started is skipped, and the first release waits for one that
   * runs, for one request timeout at most. An interrupt that the callback sent may still be pending
   * then. Up to 64 callbacks run at a time and may block; further ones wait. Exceptions of the
   * callback are logged.
   *
   * @return a registration that removes the callback
   */
  default Registration onLost(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return onLost(reason -> callback.run());
  }

  /** As {@link #onLost(Runnable)}; the callback receives the reason. */
  Registration onLost(Consumer<LockEvent.Lost.Reason> callback);

  /**
   * Runs {@code callback} each time that renewal has failed for two thirds of the ttl while the
   * lease still stands: the time to bring the work to a safe end. The callback receives how much
   * longer the lease stands if no renewal succeeds. Runs at once if the lease is in jeopardy
   * already. Threads and limits are those of {@link #onLost(Runnable)}.
   *
   * @return a registration that removes the callback
   */
  Registration onJeopardy(Consumer<Duration> callback);

  /** A registered callback. Thread-safe. */
  interface Registration {
    /**
     * Removes the callback, so that it does not start. Does not wait for a callback that runs, and
     * does nothing if it has run or was removed before.
     */
    void remove();
  }

  /**
   * Ends the lease, so that another client may acquire the lock. The client stops renewing the
   * lease first. A renewal that it is sending at that moment may still reach the store; it does not
   * revive a released lease.
   *
   * <p>Waits for one request to the store, which is repeated once if its answer is lost, at most
   * for the client's request timeout. Not interruptible; the interrupt flag is kept. Idempotent:
   * every call after the first does nothing.
   *
   * @throws LeaseLostException if the lease was lost before, or its client closed; nothing changes
   *     in the store
   * @throws StoreException if the outcome is unknown; the engine goes on releasing it in the
   *     background, and its ttl ends it
   */
  void release();

  /**
   * As {@link #release()}, without waiting: never blocks, even if the requests of the store do.
   * Cancelling the future does not stop the release. Dependents of the future run on a thread of
   * the client: see {@link DistributedLock#acquireAsync(Duration)}. A callback of {@link #onLost}
   * that has started may still run when the future completes.
   *
   * @return a future that always completes, also if the client is closed: once the lock is
   *     released, or with what {@code release} would throw
   */
  CompletableFuture<Void> releaseAsync();

  /** Same as {@link #release()}. */
  @Override
  default void close() {
    release();
  }
}
