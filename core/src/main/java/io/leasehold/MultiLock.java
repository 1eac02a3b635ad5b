package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Several locks that are acquired as one: all or none, within one deadline. Immutable and
 * thread-safe.
 *
 * <p>The locks are acquired in the order of the UTF-8 bytes of their names, whatever the order of
 * the arguments. So callers with overlapping sets cannot deadlock, as long as they hold no other
 * lock meanwhile. If a lease is lost while the call waits for the next lock, all leases are
 * released and the call starts again, within the same deadline.
 */
public interface MultiLock {
  /** The lock names, each once, in the order in which the locks are acquired. */
  List<String> names();

  /** The same locks with other options. This object does not change. */
  MultiLock with(LockOptions options);

  /**
   * Acquires all locks, and waits without limit.
   *
   * @return a lease of all; its holder must release it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  MultiLease acquire() throws InterruptedException;

  /**
   * Acquires all locks, and waits at most {@code maxWait} for all together. Zero or less tries
   * once.
   *
   * @return a lease of all; its holder must release it
   * @throws LockTimeoutException if one of the locks did not come free in time; the message names
   *     it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  MultiLease acquire(Duration maxWait) throws InterruptedException;

  /**
   * Tries each lock once, without waiting for a holder. Not interruptible; each takes at most the
   * client's request timeout.
   *
   * @return a lease of all, or empty if one of them is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<MultiLease> tryAcquire();

  /**
   * Acquires all locks if they come free within {@code maxWait}.
   *
   * @return a lease of all, or empty if one of the locks did not come free in time
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<MultiLease> tryAcquire(Duration maxWait) throws InterruptedException;

  /**
   * As {@link #acquire(Duration)}, without a waiting thread; see {@link
   * DistributedLock#acquireAsync(Duration)}.
   *
   * @return a future that completes with the lease, or with what {@code acquire} would throw
   */
  CompletableFuture<MultiLease> acquireAsync(Duration maxWait);

  /**
   * As {@link #acquireAsync(Duration)}; see {@link DistributedLock#acquireAsync(Duration,
   * Executor)}.
   */
  CompletableFuture<MultiLease> acquireAsync(Duration maxWait, Executor executor);

  /** As {@link #acquire()}, without a waiting thread. */
  CompletableFuture<MultiLease> acquireAsync();

  /** As {@link #tryAcquire()}, without a waiting thread. */
  CompletableFuture<Optional<MultiLease>> tryAcquireAsync();

  /** As {@link #tryAcquire(Duration)}, without a waiting thread. */
  CompletableFuture<Optional<MultiLease>> tryAcquireAsync(Duration maxWait);

  /**
   * Acquires all locks, without limit to the wait, runs {@code work}, and releases the locks. Not
   * re-entrant: a thread that calls this inside itself, or inside {@link DistributedLock#withLock}
   * of one of the names, would wait for itself.
   *
   * <p>Ends normally even if the outcome of a release is unknown, as {@link
   * DistributedLock#withLock(LockedRun)} does.
   *
   * @throws LeaseLostException if one of the leases was lost meanwhile, or the client closed (an
   *     exception of {@code work} takes precedence)
   * @throws InterruptedException if interrupted while waiting
   */
  <E extends Exception> void withLock(MultiLockedRun<E> work) throws E, InterruptedException;

  /**
   * As {@link #withLock(MultiLockedRun)}, but waits at most {@code maxWait}, then throws {@link
   * LockTimeoutException}.
   */
  <E extends Exception> void withLock(Duration maxWait, MultiLockedRun<E> work)
      throws E, InterruptedException;

  /** As {@link #withLock(MultiLockedRun)}, with a result. */
  <T extends @Nullable Object, E extends Exception> T callWithLock(MultiLockedCall<T, E> work)
      throws E, InterruptedException;

  /** As {@link #withLock(Duration, MultiLockedRun)}, with a result. */
  <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, MultiLockedCall<T, E> work) throws E, InterruptedException;
}
