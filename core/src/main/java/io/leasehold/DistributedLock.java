package io.leasehold;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock with a name, shared by every client of the same store. Immutable and thread-safe; costs
 * nothing while it is not used.
 *
 * <pre>{@code
 * try (Lease lease = locks.lock("invoice-run").acquire(Duration.ofSeconds(5))) {
 *   ledger.post(invoice, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>At most one live lease exists per name, by the store's clock. What no lock can promise: a
 * holder that is paused for longer than its lease may wake and still believe, for an instant, that
 * it holds. Send the {@linkplain Lease#fencingToken() fencing token} to where the data lives.
 *
 * <p>The acquiring methods yield a {@link Lease}, are not re-entrant, and belong to no thread.
 * {@link #withLock} and {@link #asLock()} are re-entrant per thread and share their holds.
 *
 * <p>Every waiting method: waiters of one process are served first come, first served. A waiter
 * that gives up leaves no trace; it may be in the way of others for the one round trip that
 * withdraws it, and never has the lock later. If the first request cannot reach the store it fails
 * fast with {@link StoreException}; once the store has answered, it keeps trying until its
 * deadline.
 */
public interface DistributedLock {
  /** The lock name. */
  String name();

  /** The same lock, taken another way. */
  DistributedLock with(LockOptions options);

  /**
   * Acquires the lock, however long that takes. Ends by grant, interrupt, or {@link
   * LockClient#close()}.
   *
   * @return the lease; its holder must release it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Lease acquire() throws InterruptedException;

  /**
   * Acquires the lock, waiting at most {@code maxWait} for local queue, network and retries
   * together. Zero or less tries once.
   *
   * @return the lease; its holder must release it
   * @throws LockTimeoutException if somebody else held it all the time
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Lease acquire(Duration maxWait) throws InterruptedException;

  /**
   * Tries once, without waiting for a holder: one request to the store, none if this process holds
   * the lock or knows that it must wait for it. Behind a request of this process that has no answer
   * yet it waits for that answer. Not interruptible; it takes at most the client's request timeout
   * (a read lock's twice that, if it asks whether it may join before it asks for a lease of its
   * own).
   *
   * @return the lease, or empty if the lock is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<Lease> tryAcquire();

  /**
   * Acquires the lock if it comes free within {@code maxWait}. Returns by then even if the store is
   * silent. Zero or less tries once.
   *
   * @return the lease, or empty if somebody else held it all the time
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException;

  /** As {@link #acquire()}, without a waiting thread; see {@link #acquireAsync(Duration)}. */
  CompletableFuture<Lease> acquireAsync();

  /**
   * As {@link #acquire(Duration)}, without a waiting thread. The future completes on a thread of
   * the client. Up to 64 completions run at a time, and may block; further ones wait for one of
   * them, so work of any length is better given to {@link #acquireAsync(Duration, Executor)}.
   *
   * <p>Cancelling the future gives up the wait: a grant that arrives at that moment is released.
   * Cancelling one that depends on it ({@code acquireAsync(..).thenApply(..)}) does not: prefer
   * {@link #withLockAsync}, which leaves no lease behind.
   *
   * @return completes with the lease, or with what {@code acquire} would throw; always, also if the
   *     client is closed
   */
  CompletableFuture<Lease> acquireAsync(Duration maxWait);

  /**
   * As {@link #acquireAsync(Duration)}; the future completes on {@code executor}. It must run what
   * it is given, or refuse it by an exception: then the future completes on a thread of the client.
   */
  CompletableFuture<Lease> acquireAsync(Duration maxWait, Executor executor);

  /** As {@link #tryAcquire()}, without a waiting thread; see {@link #acquireAsync(Duration)}. */
  CompletableFuture<Optional<Lease>> tryAcquireAsync();

  /**
   * As {@link #tryAcquire(Duration)}, without a waiting thread; see {@link
   * #acquireAsync(Duration)}.
   */
  CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration maxWait);

  /**
   * Does {@code work} under the lock, waiting for it however long that takes, and releases it.
   * Re-entrant per thread unless the options say otherwise: inside, a second call shares the lease
   * and its token and touches no network.
   *
   * <p>Ends normally, with the result of {@code work} if there is one, though it stays unknown
   * whether the store has released the lock: that is told by {@link
   * io.leasehold.event.LockEvent.UnknownOutcome} and in the log, and the ttl ends the lease.
   *
   * @throws LeaseLostException if the lease was lost meanwhile, or the client closed: when it is
   *     entered again, or at the end (what {@code work} threw goes first)
   * @throws InterruptedException if interrupted while waiting for the lock
   */
  <E extends Exception> void withLock(LockedRun<E> work) throws E, InterruptedException;

  /**
   * As {@link #withLock(LockedRun)}, waiting at most {@code maxWait} ({@link LockTimeoutException}
   * after it).
   */
  <E extends Exception> void withLock(Duration maxWait, LockedRun<E> work)
      throws E, InterruptedException;

  /** As {@link #withLock(LockedRun)}, with a result. */
  <T extends @Nullable Object, E extends Exception> T callWithLock(LockedCall<T, E> work)
      throws E, InterruptedException;

  /** As {@link #withLock(Duration, LockedRun)}, with a result. */
  <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, LockedCall<T, E> work) throws E, InterruptedException;

  /**
   * Does {@code work} under the lock if it can be had at once, and releases it: {@link
   * #tryAcquire()} and {@link #withLock(LockedRun)} in one. Re-entrant as that is.
   *
   * @return whether the work was done; false if the lock is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown; then the work
   *     was not begun
   * @throws LeaseLostException as {@link #withLock(LockedRun)}
   */
  <E extends Exception> boolean tryWithLock(LockedRun<E> work) throws E;

  /**
   * As {@link #tryWithLock(LockedRun)}, waiting at most {@code maxWait}.
   *
   * @throws InterruptedException if interrupted while waiting for the lock
   */
  <E extends Exception> boolean tryWithLock(Duration maxWait, LockedRun<E> work)
      throws E, InterruptedException;

  /**
   * Does {@code work} under the lock, without a waiting thread: acquires it within {@code maxWait},
   * calls {@code work}, and releases it once the stage that {@code work} returned has completed,
   * however it did. Not re-entrant: it belongs to no thread.
   *
   * <p>{@code work} is called on a thread of the client, as what depends on {@link
   * #acquireAsync(Duration)}. Cancelling the future gives up the wait, or cancels the stage of the
   * work; the lock is released when that stage has ended, and no lease is left behind.
   *
   * @return completes after the release with what the stage completed with, or with what {@link
   *     #withLock(Duration, LockedRun)} would throw
   */
  <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait, Function<? super Lease, ? extends CompletionStage<T>> work);

  /**
   * As {@link #withLockAsync(Duration, Function)}; {@code work} is called, and the future
   * completes, on {@code executor}, as for {@link #acquireAsync(Duration, Executor)}.
   */
  <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait,
      Executor executor,
      Function<? super Lease, ? extends CompletionStage<T>> work);

  /**
   * This lock for code written against {@code java.util.concurrent}. Behaves as a {@link
   * java.util.concurrent.locks.ReentrantLock} in everything but the lease: the thread that locked
   * it must unlock it, and once the lease is lost, re-entry and {@code unlock} throw {@link
   * LeaseLostException}, which is an {@link IllegalMonitorStateException}. {@code lock()} is not
   * interruptible and keeps the flag; {@code newCondition()} refuses.
   */
  DistributedLockView asLock();

  /**
   * Whether this lock is held now, by any holder of any process; of a read lock or a semaphore, by
   * at least one. As {@link #inspect()}, and as soon out of date: do not decide by it whether to
   * work, {@link #tryAcquire()} does that.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  default boolean isLocked() {
    return inspect().map(lock -> !lock.holders().isEmpty()).orElse(false);
  }

  /**
   * Who holds this lock and who waits, now, by the store. One request; empty if neither. Of a lease
   * that was handed over inside a process its own client names the present holder; other clients
   * name who took it.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  Optional<LockSnapshot> inspect();

  /**
   * For operators: removes the lease with this fencing token, and only that, whoever holds it. Its
   * holder finds out at its next renewal; until then only the token protects the data. The next
   * token is higher.
   *
   * @param fencingToken as {@link #inspect()} or {@link Lease#fencingToken()} tells it; a token
   *     handed over inside a process stands for the same lease
   * @return whether such a lease was there and is gone now
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   * @throws UnsupportedOperationException if the store keeps no list
   */
  boolean breakLease(long fencingToken);
}
