package io.leasehold.internal;

import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.MissingTraitException;
import io.leasehold.Trait;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * The terms on which a lock is taken: the user's options, fitted to the store.
 *
 * @param mode how it shares the name
 * @param permits how many permits
 * @param limit of how many
 * @param ttl a multiple of the store's step, within its limits
 * @param ttlNanos the same, for what asks at each acquisition
 * @param maxHold the longest life of a lease
 * @param minHold for how long the name stays locked, from the grant
 * @param renewed whether it is renewed while held
 * @param fair whether order across processes was asked for
 */
record Terms(
    LockMode mode,
    int permits,
    int limit,
    Duration ttl,
    long ttlNanos,
    Optional<Duration> maxHold,
    Optional<Duration> minHold,
    boolean renewed,
    boolean fair) {

  /** How a lock shares its name. */
  record Share(LockMode mode, int permits, int limit) {
    static final Share EXCLUSIVE = new Share(LockMode.EXCLUSIVE, 1, 1);
    static final Share SHARED = new Share(LockMode.SHARED, 1, 1);

    static Share permits(int permits, int limit) {
      return new Share(LockMode.PERMITS, permits, limit);
    }
  }

  /** A share, with these options. */
  static Terms of(Share share, LockOptions options, Duration clientTtl, Traits store) {
    if (!store.modes().contains(share.mode())) {
      throw new UnsupportedOperationException(
          "the " + store.store() + " store " + lack(share, store));
    }
    boolean fair = options.order() == LockOptions.Order.FAIR;
    if (fair && !store.has().contains(Trait.FIFO)) {
      throw new MissingTraitException(
          Trait.FIFO,
          "the "
              + store.store()
              + " store keeps no queue, so it cannot serve waiters in order across processes: "
              + "leave out LockOptions.fair(), or use a store with FIFO");
    }
    Duration ttl = options.ttl().map(d -> chosenTtl(d, store)).orElse(clientTtl);
    return new Terms(
        share.mode(),
        share.permits(),
        share.limit(),
        ttl,
        Durations.nanos(ttl),
        options.maxHold(),
        options.minHold().map(d -> possibleMinHold(d, store)),
        options.renewal() == LockOptions.Renewal.AUTOMATIC,
        fair);
  }

  private static String lack(Share share, Traits store) {
    if (store.modes().contains(LockMode.SHARED)) {
      return "has no semaphores: its members count apart, so three clients could hold two of two permits";
    }
    return "takes a lock alone only: it has no "
        + (share.mode() == LockMode.SHARED ? "read locks" : "semaphores");
  }

  /** A min hold must stand though the process has ended, and the store must take it as a ttl. */
  static Duration possibleMinHold(Duration minHold, Traits store) {
    if (store.life().ends() == Traits.Ends.SESSION) {
      throw new UnsupportedOperationException(
          "the leases of the "
              + store.store()
              + " store end with their session, so they cannot outlive the process for a minHold");
    }
    if (minHold.compareTo(store.maxTtl()) > 0) {
      throw new IllegalArgumentException(
          "the "
              + store.store()
              + " store keeps a lease for at most "
              + Durations.show(store.maxTtl())
              + ", but minHold is "
              + Durations.show(minHold));
    }
    return minHold;
  }

  /** A ttl that the user chose: rounded up to the step, refused outside the limits. */
  static Duration chosenTtl(Duration ttl, Traits store) {
    Duration rounded = roundedUp(ttl, store.ttlStep());
    if (ttl.compareTo(store.minTtl()) < 0 || rounded.compareTo(store.maxTtl()) > 0) {
      throw new IllegalArgumentException(
          "the "
              + store.store()
              + " store takes a ttl from "
              + Durations.show(store.minTtl())
              + " to "
              + Durations.show(store.maxTtl())
              + ", but it was asked for "
              + Durations.show(ttl));
    }
    return rounded;
  }

  /** A ttl that was not chosen: moved inside the limits. */
  static Duration defaultTtl(Duration ttl, Traits store) {
    Duration rounded = roundedUp(ttl, store.ttlStep());
    if (rounded.compareTo(store.minTtl()) < 0) {
      return store.minTtl();
    }
    return rounded.compareTo(store.maxTtl()) > 0 ? store.maxTtl() : rounded;
  }

  private static Duration roundedUp(Duration ttl, Duration step) {
    long over = Durations.nanos(ttl) % Durations.nanos(step);
    return over == 0 ? ttl : ttl.plus(step).minusNanos(over);
  }

  /** Whether both may use a name at a time. */
  boolean isSameKindAs(Terms other) {
    boolean both = (mode == LockMode.PERMITS) == (other.mode == LockMode.PERMITS);
    return both && limit == other.limit;
  }

  /** The ttl that makes a lease stand for so long from now. */
  static Duration ttlFor(long nanos, Traits store) {
    return defaultTtl(Duration.ofNanos(nanos), store);
  }

  /** Whether leases on these terms and on the other's never live at a time. */
  boolean excludes(Terms other) {
    return mode == LockMode.EXCLUSIVE || other.mode == LockMode.EXCLUSIVE;
  }

  /** Whether one ticket can contend for both. */
  boolean contendsLike(Terms other) {
    return mode == other.mode
        && permits == other.permits
        && limit == other.limit
        && ttl.equals(other.ttl)
        && fair == other.fair;
  }

  /** Whether a lease on these terms can be handed over to a waiter on the other's. */
  boolean handsOverTo(Terms other) {
    return !fair && isServedLike(other);
  }

  /** The same along a run. */
  boolean runsOnTo(Terms other) {
    return fair && mode == LockMode.EXCLUSIVE && isServedLike(other);
  }

  private boolean isServedLike(Terms other) {
    return contendsLike(other) && renewed && other.renewed && minHold.equals(other.minHold);
  }
}
