package io.leasehold;

/**
 * A named semaphore that all clients of one store share: at most {@link #size()} permits are held
 * at once. Immutable and thread-safe.
 *
 * <pre>{@code
 * try (Lease slot = locks.semaphore("exports", 5).acquire(Duration.ofSeconds(5))) {
 *   export(slot);
 * }
 * }</pre>
 *
 * <p>Every method that acquires takes {@link #permits()} permits as one lease, all or none. A
 * process serves its waiters in order; across processes a waiter that wants few permits may
 * overtake one that wants many, unless both are {@linkplain LockOptions#fair() fair}.
 *
 * <p>A lease of permits belongs to no thread: a nested {@code withLock} takes further permits, and
 * {@link #asLock()} is refused.
 *
 * <p>Fencing tokens of permits are unique, and higher than those of all exclusive holders of the
 * name before. They do not order the holders of permits: a lease that is handed over inside a
 * process keeps the number of its grant.
 *
 * <p>The size is fixed while the semaphore has a holder or a waiter: a caller with another size, or
 * one that uses the name for a lock of another kind, gets a {@link LockKindException}.
 */
public interface DistributedSemaphore extends DistributedLock {
  /** The total number of permits. */
  int size();

  /** How many permits each lease takes; 1 unless set by {@link #permits(int)}. */
  int permits();

  /**
   * The same semaphore, whose leases take {@code count} permits each. This object does not change.
   *
   * @throws IllegalArgumentException unless it is from 1 to {@link #size()}
   */
  DistributedSemaphore permits(int count);

  @Override
  DistributedSemaphore with(LockOptions options);

  /**
   * How many permits are free now. One request, as {@link #inspect()}; the answer may be out of
   * date when it arrives.
   *
   * @throws StoreException if the store cannot be asked
   * @throws UnsupportedOperationException if the store keeps no list
   */
  default int availablePermits() {
    int out =
        inspect().stream()
            .flatMap(lock -> lock.holders().stream())
            .mapToInt(LockSnapshot.Holder::permits)
            .sum();
    return Math.max(0, size() - out);
  }

  /**
   * Not supported, because permits belong to no thread.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  DistributedLockView asLock();
}
