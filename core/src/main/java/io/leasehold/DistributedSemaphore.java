package io.leasehold;

/**
 * A number of permits under one name, shared by every client of the same store: at most {@link
 * #size()} are out at once. Immutable and thread-safe.
 *
 * <pre>{@code
 * try (Lease slot = locks.semaphore("exports", 5).acquire(Duration.ofSeconds(5))) {
 *   export(slot);
 * }
 * }</pre>
 *
 * <p>Everything that acquires takes {@link #permits()} of them as one lease, all or none. Waiters
 * of one process are served in order; across processes one that wants few may overtake one that
 * wants many, unless they are {@linkplain LockOptions#fair() fair}.
 *
 * <p>A lease of permits belongs to no thread: {@code withLock} inside {@code withLock} takes
 * permits of its own, and {@link #asLock()} is refused.
 *
 * <p>Fencing tokens of permits are unique and above those of whatever held the name alone before.
 * They do not order the holders of permits: a lease handed on inside a process keeps the number of
 * its grant.
 *
 * <p>The size binds while anybody holds or waits: whoever comes with another, or takes the same
 * name as a lock of another kind, fails with {@link LockKindException}.
 */
public interface DistributedSemaphore extends DistributedLock {
  /** How many permits there are. */
  int size();

  /** How many permits each lease takes; 1 unless chosen by {@link #permits(int)}. */
  int permits();

  /**
   * The same semaphore, taken by so many permits at once.
   *
   * @throws IllegalArgumentException unless it is from 1 to {@link #size()}
   */
  DistributedSemaphore permits(int count);

  @Override
  DistributedSemaphore with(LockOptions options);

  /**
   * How many permits nobody holds now. As {@link #inspect()}, and as soon out of date.
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
   * Refused: permits belong to no thread.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  DistributedLockView asLock();
}
