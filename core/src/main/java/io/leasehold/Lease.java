package io.leasehold;

import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What the holder of a lock has: time-bounded, renewed by the engine, and told apart from every
 * other holder by its fencing token.
 *
 * <p>The handle is the owner. It may be used, passed on and released from any thread.
 *
 * <p>A lease ends by {@link #release()} or is lost. Once lost it never comes back: {@link
 * #isHeld()} is false, {@link #ensureHeld} and the first {@link #release()} throw {@link
 * LeaseLostException}, and the {@link #onLost} callbacks run.
 */
public interface Lease extends AutoCloseable {
  /** The lock name. */
  String name();

  /** The id under which the store knows this lease; unique to one grant by the store. */
  String leaseId();

  /**
   * A number greater than that of every earlier lease on the same lock. Send it with each write to
   * the protected data, and let the data's keeper refuse a number lower than the highest it has
   * seen: only that protects the data from a holder that was paused longer than its lease.
   * Unchanged for the life of the lease, also after it was lost or released.
   *
   * @throws UnsupportedOperationException if the store has no {@link Trait#FENCING}
   */
  long fencingToken();

  /**
   * Whether this lease certainly still holds the lock, at this moment, by this process's monotonic
   * clock: it is neither released nor lost, and its validity has not run out. Never touches the
   * network. True is no promise about the next moment.
   *
   * <p>Also false after the host was suspended, until one renewal has been answered.
   */
  boolean isHeld();

  /**
   * How much longer this lease certainly holds if no renewal succeeds; zero if {@link #isHeld()} is
   * false. No network.
   */
  Duration remaining();

  /**
   * Makes sure that the lease is held for at least {@code atLeast} from now, renewing it once if
   * less remains.
   *
   * <p>Waits for one request to the store, and at most for the client's request timeout; not
   * interruptible. On expiry, and if the store says that the lease is gone, it is lost.
   *
   * @throws LeaseLostException if the lease is lost, or was released
   * @throws LeaseTooShortException if it is held, and ends sooner: by its longest life, or since
   *     the answer was slow
   * @throws StoreException if the renewal had an unknown outcome and less than {@code atLeast}
   *     remains; the lease still stands
   * @throws IllegalArgumentException if {@code atLeast} is more than a fresh renewal yields
   */
  void ensureHeld(Duration atLeast);

  /**
   * Runs {@code callback} once if this lease is lost, on a thread of the client, as soon as the
   * process notices; at once if it is lost already. Never runs after {@link #release()} has
   * returned: what has not begun is left out, and the first release waits for what runs, for one
   * request timeout at most. An interrupt that the callback sent may still be pending then. Up to
   * 64 callbacks run at a time and may block; further ones wait for one of them. What the callback
   * throws is logged.
   *
   * @return takes the callback back
   */
  default Registration onLost(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return onLost(reason -> callback.run());
  }

  /** As {@link #onLost(Runnable)}; the callback is given the reason. */
  Registration onLost(Consumer<LockEvent.Lost.Reason> callback);

  /**
   * Runs {@code callback} each time that renewal has been failing for two thirds of the ttl while
   * the lease still stands: the moment to bring the work to a safe end. It is given how much longer
   * the lease stands if no renewal succeeds. Runs at once if the lease is in jeopardy already. When
   * and where it runs is as for {@link #onLost(Runnable)}.
   *
   * @return takes the callback back
   */
  Registration onJeopardy(Consumer<Duration> callback);

  /** A callback that can be taken back. */
  interface Registration {
    /**
     * Lets the callback not begin any more. Does not wait for one that runs; does nothing if it has
     * run, or was taken back before.
     */
    void remove();
  }

  /**
   * Ends the lease, so that another may have the lock. Renewal stops before that.
   *
   * <p>Waits for one request to the store, which is repeated once if its answer is lost, and at
   * most for the client's request timeout; not interruptible (the flag is kept). Idempotent: every
   * call after the first does nothing.
   *
   * @throws LeaseLostException if the lease was lost before, or its client closed; nothing is
   *     changed in the store
   * @throws StoreException if the outcome is unknown; the engine goes on releasing it in the
   *     background, and its ttl ends it
   */
  void release();

  /**
   * As {@link #release()}, without waiting: never blocks, also where the store's requests do. Stops
   * nothing if the future is cancelled. What depends on the future runs on a thread of the client:
   * see {@link DistributedLock#acquireAsync(Duration)}. A callback of {@link #onLost} that has
   * begun may still run when it completes.
   *
   * @return completes once the lock is released, or with what {@code release} would throw; always,
   *     also if the client is closed
   */
  CompletableFuture<Void> releaseAsync();

  /** Same as {@link #release()}. */
  @Override
  default void close() {
    release();
  }
}
