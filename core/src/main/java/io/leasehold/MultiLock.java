package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Several locks taken as one: all of them or none, within one deadline. Immutable and thread-safe.
 *
 * <p>They are taken in the order of their names' UTF-8 bytes, whatever the order they were named
 * in, so callers with overlapping sets cannot wait for each other in a circle, as long as they hold
 * nothing else meanwhile. If one that is held already is lost while another is waited for, all are
 * released and it begins again, within the same deadline.
 */
public interface MultiLock {
  /** The lock names, each once, in the order in which they are taken. */
  List<String> names();

  /** The same locks, taken another way. */
  MultiLock with(LockOptions options);

  /**
   * Acquires all, however long that takes.
   *
   * @return a lease of all; its holder must release it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  MultiLease acquire() throws InterruptedException;

  /**
   * Acquires all, waiting at most {@code maxWait} for all together. Zero or less tries once.
   *
   * @return a lease of all; its holder must release it
   * @throws LockTimeoutException if one of them was held by somebody else; names it
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  MultiLease acquire(Duration maxWait) throws InterruptedException;

  /**
   * Tries each once, without waiting for a holder. Not interruptible; each takes at most the
   * client's request timeout.
   *
   * @return a lease of all, or empty if one of them is held or waited for by another
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<MultiLease> tryAcquire();

  /**
   * Acquires all if they come free within {@code maxWait}.
   *
   * @return a lease of all, or empty if one of them was held by somebody else
   * @throws InterruptedException if interrupted while waiting; nothing is left behind
   * @throws StoreException if the store cannot be asked, or the outcome is unknown
   */
  Optional<MultiLease> tryAcquire(Duration maxWait) throws InterruptedException;

  /**
   * As {@link #acquire(Duration)}, without a waiting thread; see {@link
   * DistributedLock#acquireAsync(Duration)}.
   *
   * @return completes with the lease, or with what {@code acquire} would throw
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
   * Does {@code work} under all the locks, waiting for them however long that takes, and releases
   * them. Not re-entrant: a thread that is inside, or inside {@link DistributedLock#withLock} of
   * one of the names, would wait for itself.
   *
   * <p>Ends normally, though it stays unknown whether the store has released one of them, as {@link
   * DistributedLock#withLock(LockedRun)} does.
   *
   * @throws LeaseLostException if one was lost meanwhile, or the client closed (what {@code work}
   *     threw goes first)
   * @throws InterruptedException if interrupted while waiting
   */
  <E extends Exception> void withLock(MultiLockedRun<E> work) throws E, InterruptedException;

  /**
   * As {@link #withLock(MultiLockedRun)}, waiting at most {@code maxWait} ({@link
   * LockTimeoutException} after it).
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
