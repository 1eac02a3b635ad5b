package io.leasehold.shedlock;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Locks of a {@link LockClient} for ShedLock. The name of the task is the lock name, so a task and
 * other code can exclude each other by it. Thread-safe.
 *
 * <pre>{@code
 * @Bean
 * LockProvider lockProvider(LockClient locks) {
 *   return new LeaseholdLockProvider(locks);
 * }
 * }</pre>
 *
 * <p>{@code lockAtMostFor} is the {@code maxHold} of the lease: the client renews the lease until
 * then. If the process dies, the name comes free after the ttl: that of the client, or {@code
 * lockAtMostFor} if it is shorter than 30 s and the store takes a ttl so short. {@code
 * lockAtLeastFor} is its {@code minHold}: once unlocked, the name stays locked for the rest of it,
 * even if the process ends.
 *
 * <p>Does not close the client.
 */
public final class LeaseholdLockProvider implements ExtensibleLockProvider {
  /** What a client has if nothing else was set. */
  private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

  private final LockClient locks;

  /** A provider of this client's locks. */
  public LeaseholdLockProvider(LockClient locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
  }

  /**
   * Locks the name if it is free now: {@link DistributedLock#tryAcquire()}, with its time limit.
   * Not re-entrant. If {@code lockAtMostFor} ends, the lease is lost and released.
   *
   * @return the lock, or empty if the name is locked or waited for
   * @throws io.leasehold.StoreException if the store cannot be asked, or the outcome is unknown
   * @throws UnsupportedOperationException if {@code lockAtLeastFor} is not zero, and the leases of
   *     the store end with a session
   */
  @Override
  public Optional<SimpleLock> lock(LockConfiguration wanted) {
    return lockFor(wanted).tryAcquire().map(lease -> new LeasedLock(wanted, lease));
  }

  private DistributedLock lockFor(LockConfiguration wanted) {
    LockOptions options = optionsFor(wanted);
    DistributedLock lock = locks.lock(wanted.getName()).with(options);
    Duration atMost = wanted.getLockAtMostFor();
    if (atMost.compareTo(DEFAULT_TTL) >= 0) {
      return lock;
    }
    try {
      return lock.with(options.withTtl(atMost));
    } catch (IllegalArgumentException outsideTheLimitsOfTheStore) {
      return lock;
    }
  }

  /** For how long a lease is held. */
  static LockOptions optionsFor(LockConfiguration wanted) {
    LockOptions options = LockOptions.defaults().withMaxHold(wanted.getLockAtMostFor());
    Duration atLeast = wanted.getLockAtLeastFor();
    return atLeast.isZero() ? options : options.withMinHold(atLeast);
  }
}
