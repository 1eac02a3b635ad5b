package io.leasehold;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How one lock is taken. Immutable; each method returns a changed copy. Start from {@link
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
 * @param maxHold the longest life of a lease: at its end the lease is lost and then released,
 *     although its holder still works; empty: no limit
 * @param minHold for how long, from the grant, another holder is kept out although the lease is
 *     released sooner: so that a short job does not run twice on hosts whose clocks differ. Release
 *     returns at once; the store keeps the name locked until then, also if the process ends. Empty:
 *     not at all. {@link DistributedLock#with} refuses it where leases end with a session
 * @param renewal whether the engine renews the lease while it is held
 * @param order in which order waiters are served
 * @param reentrance whether {@link DistributedLock#withLock} and {@link DistributedLock#asLock()}
 *     may be entered again by the thread that is inside
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

  /** Whether a held lease is renewed. */
  public enum Renewal {
    /** At a third of the ttl, until it is released or lost. The default. */
    AUTOMATIC,
    /** Never: the lease lives for one ttl, unless {@link Lease#ensureHeld} renews it. */
    NONE
  }

  /** Who is served next. */
  public enum Order {
    /**
     * First come, first served inside a process; a process may hand the lock over among its own
     * threads for a bounded time before others get it. The default.
     */
    LOCAL_FIRST,
    /** First come, first served across processes. Needs a store with {@link Trait#FIFO}. */
    FAIR
  }

  /** Whether the thread-bound views may be entered again by the thread that holds them. */
  public enum Reentrance {
    /** As {@link java.util.concurrent.locks.ReentrantLock}. The default. */
    REENTRANT,
    /**
     * A second try by the thread inside is refused at once with {@link
     * IllegalMonitorStateException}.
     */
    NON_REENTRANT
  }

  /** Checks that the durations are positive. */
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

  /** The client's ttl, renewed, without longest life, local-first, re-entrant. */
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

  /** Sets for how long others are kept out, from the grant, although it is released sooner. */
  public LockOptions withMinHold(Duration newMinHold) {
    return new LockOptions(ttl, maxHold, Optional.of(newMinHold), renewal, order, reentrance);
  }

  /** A plain lease of one ttl. */
  public LockOptions withoutRenewal() {
    return new LockOptions(ttl, maxHold, minHold, Renewal.NONE, order, reentrance);
  }

  /** First come, first served across processes. */
  public LockOptions fair() {
    return new LockOptions(ttl, maxHold, minHold, renewal, Order.FAIR, reentrance);
  }

  /** Refuses re-entry of the thread-bound views. */
  public LockOptions nonReentrant() {
    return new LockOptions(ttl, maxHold, minHold, renewal, order, Reentrance.NON_REENTRANT);
  }
}
