package io.leasehold;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named lock that all clients of one store share. Immutable and thread-safe; it uses no resources
 * until it is acquired.
 *
 * <pre>{@code
 * try (Lease lease = locks.lock("invoice-run").acquire(Duration.ofSeconds(5))) {
 *   ledger.post(invoice, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>At most one live lease exists per name, by the store's clock. No lock can promise more: a
 * holder that is paused for longer than its lease may wake up and still believe, for an instant,
 * that it holds the lock. So send the {@linkplain Lease#fencingToken() fencing token} with each
 * write to the data.
 *
 * <p>The methods that acquire return a {@link Lease}, which is not re-entrant and belongs to no
 * thread. {@link #withLock} and {@link #asLock()} are re-entrant per thread and share their holds.
 *
 * <p>For every method that waits: a process serves its waiters in the order of their arrival. A
 * waiter that gives up leaves nothing behind and never gets the lock later; it may block others for
 * the one round trip that withdraws it. If the first request cannot reach the store, the method
 * fails fast with {@link StoreException}; once the store has answered, the method keeps trying
 * until its deadline.
 */
public interface DistributedLock {
  /** The lock name. */
  String name();

  /** The same lock with other options. This object does not change. */
  DistributedLock with(LockOptions options);

  /**
   * Acquires the lock, and waits for it without limit. The wait ends by a grant, an interrupt, or
   * {@link LockClient#close()}.
   *
   * @return the lease; its holder must release it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Lease acquire() throws InterruptedException;

  /**
   * Acquires the lock, and waits at most {@code maxWait} for the local queue, the network and
   * retries together. Zero or less tries once.
   *
   * @return the lease; its holder must release it
   * @throws LockTimeoutException if the lock did not come free in time
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Lease acquire(Duration maxWait) throws InterruptedException;

  /**
   * Tries once, without waiting for a holder. Sends one request to the store, or none if this
   * process holds the lock or knows that it must wait for it. If a request of this process has no
   * answer yet, the call waits for that answer first. Not interruptible; it takes at most the
   * client's request timeout (twice that for a read lock that first asks whether it may join the
   * process's lease, and then asks for a separate one).
   *
   * @return the lease, or empty if the lock is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<Lease> tryAcquire();

  /**
   * Acquires the lock if it comes free within {@code maxWait}. Returns by then even if the store
   * does not answer. Zero or less tries once.
   *
   * @return the lease, or empty if the lock did not come free in time
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException;

  /** As {@link #acquire()}, without a waiting thread; see {@link #acquireAsync(Duration)}. */
  CompletableFuture<Lease> acquireAsync();

  /**
   * As {@link #acquire(Duration)}, without a waiting thread. The future completes on a thread of
   * the client. Up to 64 completions run at a time, and may block; further ones wait. Use {@link
   * #acquireAsync(Duration, Executor)} for long work.
   *
   * <p>Cancelling the future gives up the wait: a grant that arrives at that moment is released.
   * Cancelling a dependent future ({@code acquireAsync(..).thenApply(..)}) does not: prefer {@link
   * #withLockAsync}, which leaves no lease behind.
   *
   * @return a future that always completes, also if the client is closed: with the lease, or with
   *     what {@code acquire} would throw
   */
  CompletableFuture<Lease> acquireAsync(Duration maxWait);

  /**
   * As {@link #acquireAsync(Duration)}; the future completes on {@code executor}. The executor must
   * run each task or reject it with an exception; if it rejects the task, the future completes on a
   * thread of the client.
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
   * Acquires the lock, without limit to the wait, runs {@code work}, and releases the lock.
   * Re-entrant per thread unless the options say otherwise: a nested call shares the lease and its
   * token, and uses no network.
   *
   * <p>Ends normally, with the result of {@code work} if there is one, even if the outcome of the
   * release is unknown: the log and {@link io.leasehold.event.LockEvent.UnknownOutcome} report
   * that, and the ttl ends the lease.
   *
   * @throws LeaseLostException if the lease was lost meanwhile, or the client closed: at a nested
   *     call or at the end (an exception of {@code work} takes precedence)
   * @throws InterruptedException if interrupted while waiting for the lock
   */
  <E extends Exception> void withLock(LockedRun<E> work) throws E, InterruptedException;

  /**
   * As {@link #withLock(LockedRun)}, but waits at most {@code maxWait}, then throws {@link
   * LockTimeoutException}.
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
   * Runs {@code work} under the lock if the lock is free now: {@link #tryAcquire()} and {@link
   * #withLock(LockedRun)} in one, and re-entrant as the latter.
   *
   * @return whether the work ran; false if the lock is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown; the work did
   *     not start
   * @throws LeaseLostException as {@link #withLock(LockedRun)}
   */
  <E extends Exception> boolean tryWithLock(LockedRun<E> work) throws E;

  /**
   * As {@link #tryWithLock(LockedRun)}, but waits at most {@code maxWait} for the lock.
   *
   * @throws InterruptedException if interrupted while waiting for the lock
   */
  <E extends Exception> boolean tryWithLock(Duration maxWait, LockedRun<E> work)
      throws E, InterruptedException;

  /**
   * Runs {@code work} under the lock, without a waiting thread: acquires the lock within {@code
   * maxWait}, calls {@code work}, and releases the lock once the stage that {@code work} returned
   * has completed, normally or not. Not re-entrant, since the lease belongs to no thread.
   *
   * <p>{@code work} runs on a thread of the client, as a dependent of {@link
   * #acquireAsync(Duration)} does. Cancelling the future gives up the wait, or cancels the stage of
   * the work; the lock is released when that stage has ended. No lease is left behind.
   *
   * @return a future that completes after the release, with the result of the stage or with what
   *     {@link #withLock(Duration, LockedRun)} would throw
   */
  <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait, Function<? super Lease, ? extends CompletionStage<T>> work);

  /**
   * As {@link #withLockAsync(Duration, Function)}; {@code work} runs, and the future completes, on
   * {@code executor}, as for {@link #acquireAsync(Duration, Executor)}.
   */
  <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait,
      Executor executor,
      Function<? super Lease, ? extends CompletionStage<T>> work);

  /**
   * This lock for code written against {@code java.util.concurrent}. It behaves as a {@link
   * java.util.concurrent.locks.ReentrantLock}, except for the lease: once the lease is lost,
   * re-entry and {@code unlock} throw {@link LeaseLostException}, which is an {@link
   * IllegalMonitorStateException}. The thread that locked it must unlock it. {@code lock()} is not
   * interruptible and keeps the interrupt flag; {@code newCondition()} throws {@link
   * UnsupportedOperationException}.
   */
  DistributedLockView asLock();

  /**
   * Whether this lock has a holder now, in any process; for a read lock or a semaphore, at least
   * one. One request, as {@link #inspect()}. The answer may be out of date when it arrives, so do
   * not decide by it whether to work: {@link #tryAcquire()} does that.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  default boolean isLocked() {
    return inspect().map(lock -> !lock.holders().isEmpty()).orElse(false);
  }

  /**
   * The holders and waiters of this lock, as the store knows them now; empty if there are none. One
   * request. If a process handed a lease over from thread to thread, its client names the present
   * holder, and other clients name the thread that acquired it.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  Optional<LockSnapshot> inspect();

  /**
   * For operators: removes the lease with this fencing token, and no other. Its holder notices at
   * its next renewal; until then only the token protects the data. The next token is higher.
   *
   * @param fencingToken from {@link #inspect()} or {@link Lease#fencingToken()}; every token of a
   *     lease that was handed over inside a process identifies that lease
   * @return true if there was such a lease and it is removed; false if there was none
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   * @throws UnsupportedOperationException if the store keeps no list
   */
  boolean breakLease(long fencingToken);
}
