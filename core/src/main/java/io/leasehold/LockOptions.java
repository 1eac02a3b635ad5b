package io.leasehold;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of one lock. Immutable; each method returns a changed copy. Start from {@link
 * #defaults()}.
 *
 * <pre>{@code
 * DistributedLock nightly = locks.lock("nightly").with(LockOptions.defaults().withTtl(Duration.ofSeconds(10)).withMaxHold(Duration.ofHours(1)));
 * }</pre>
 *
 * @param ttl how long the store keeps a lease without renewal; empty: the client's ({@value
 *     LockClientBuilder#DEFAULT_TTL_SECONDS} s unless set there). Rounded up to the store's step;
 *     outside the store's limits {@link DistributedLock#with} refuses it with {@link
 *     IllegalArgumentException}
 * @param maxHold the longest life of a lease: at its end the lease is lost and then released, even
 *     if its holder still works; empty: no limit
 * @param minHold how long the name stays locked from the grant, even if the lease is released
 *     sooner, so that a short job does not run twice on hosts whose clocks differ. Release returns
 *     at once; the store keeps the name locked until then, even if the process ends. Empty: not at
 *     all. {@link DistributedLock#with} refuses it on a store whose leases end with a session
 * @param renewal whether the engine renews the lease while it is held
 * @param order the order in which waiters are served
 * @param reentrance whether the thread that holds the lock by {@link DistributedLock#withLock} or
 *     {@link DistributedLock#asLock()} may acquire it again
 */
public record LockOptions(
    Optional<Duration> ttl,
    Optional<Duration> maxHold,
    Optional<Duration> minHold,
    Renewal renewal,
    Order order,
    Reentrance reentrance) {

  private static final LockOptions DEFAULTS =
      new LockOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Renewal.AUTOMATIC,
          Order.LOCAL_FIRST,
          Reentrance.REENTRANT);

  /** Whether the client renews a lease while it is held. */
  public enum Renewal {
    /** At a third of the ttl, until it is released or lost. The default. */
    AUTOMATIC,
    /** Never: the lease lives for one ttl, unless {@link Lease#ensureHeld} renews it. */
    NONE
  }

  /** The order in which waiters get the lock. */
  public enum Order {
    /**
     * First come, first served inside a process; a process may hand the lock over among its threads
     * for a limited time before another process gets it. The default.
     */
    LOCAL_FIRST,
    /** First come, first served across processes. Needs a store with {@link Trait#FIFO}. */
    FAIR
  }

  /**
   * Whether the thread that holds the lock may acquire it again by {@code withLock} or {@code
   * asLock()}.
   */
  public enum Reentrance {
    /** As {@link java.util.concurrent.locks.ReentrantLock}. The default. */
    REENTRANT,
    /**
     * A second call by the thread that holds the lock throws {@link IllegalMonitorStateException}
     * at once.
     */
    NON_REENTRANT
  }

  /** Rejects durations that are not positive, and a {@code minHold} longer than {@code maxHold}. */
  public LockOptions {
    ttl.ifPresent(d -> requirePositive(d, "ttl"));
    maxHold.ifPresent(d -> requirePositive(d, "maxHold"));
    minHold.ifPresent(d -> requirePositive(d, "minHold"));
    if (minHold.isPresent() && maxHold.isPresent() && minHold.get().compareTo(maxHold.get()) > 0) {
      throw new IllegalArgumentException(
          "minHold must not be longer than maxHold: " + minHold.get() + ", " + maxHold.get());
    }
    Objects.requireNonNull(renewal, "renewal");
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(reentrance, "reentrance");
  }

  private static void requirePositive(Duration d, String what) {
    if (d.isNegative() || d.isZero()) {
      throw new IllegalArgumentException(what + " must be positive, but is " + d);
    }
  }

  /**
   * The ttl of the client, automatic renewal, no longest or shortest hold, local-first order,
   * re-entrant.
   */
  public static LockOptions defaults() {
    return DEFAULTS;
  }

  /** Sets how long the store keeps a lease without renewal. */
  public LockOptions withTtl(Duration newTtl) {
    return new LockOptions(Optional.of(newTtl), maxHold, minHold, renewal, order, reentrance);
  }

  /** Sets the longest life of a lease. */
  public LockOptions withMaxHold(Duration newMaxHold) {
    return new LockOptions(ttl, Optional.of(newMaxHold), minHold, renewal, order, reentrance);
  }

  /** Sets how long the name stays locked from the grant, even if the lease is released sooner. */
  public LockOptions withMinHold(Duration newMinHold) {
    return new LockOptions(ttl, maxHold, Optional.of(newMinHold), renewal, order, reentrance);
  }

  /** Switches renewal off: the lease lives for one ttl. */
  public LockOptions withoutRenewal() {
    return new LockOptions(ttl, maxHold, minHold, Renewal.NONE, order, reentrance);
  }

  /** Serves waiters in the order of arrival across processes; needs {@link Trait#FIFO}. */
  public LockOptions fair() {
    return new LockOptions(ttl, maxHold, minHold, renewal, Order.FAIR, reentrance);
  }

  /**
   * Refuses a second call of {@code withLock} or {@code asLock()} by the thread that holds the
   * lock.
   */
  public LockOptions nonReentrant() {
    return new LockOptions(ttl, maxHold, minHold, renewal, order, Reentrance.NON_REENTRANT);
  }
}
