package io.leasehold.spi;

import io.leasehold.LockMode;
import io.leasehold.Trait;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What an open store declares of itself. Fixed while it is open.
 *
 * @param store its kind, for messages: "file", "redis"
 * @param has the traits it has; what is not listed it lacks
 * @param modes how it lets a name be shared: {@link LockMode#EXCLUSIVE} at least. The engine
 *     refuses what asks for another, and never asks the store for it
 * @param minTtl the smallest ttl it takes
 * @param maxTtl the largest ttl it takes
 * @param ttlStep the step to which it rounds a ttl up
 * @param poll how it must be polled for waiting tickets
 * @param life how long its leases live
 * @param wanted how the engine learns that another waits for a name that is held
 * @param calls how its verbs run
 */
public record Traits(
    String store,
    Set<Trait> has,
    Set<LockMode> modes,
    Duration minTtl,
    Duration maxTtl,
    Duration ttlStep,
    Poll poll,
    Life life,
    Wanted wanted,
    Calls calls) {

  /** Copies the sets. */
  public Traits {
    has = has.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(has));
    modes = Set.copyOf(modes);
    if (!modes.contains(LockMode.EXCLUSIVE)) {
      throw new IllegalArgumentException("a store must take exclusive leases");
    }
  }

  /** Of a store that takes every mode, and says who waits when it is asked to renew. */
  public Traits(
      String store,
      Set<Trait> has,
      Duration minTtl,
      Duration maxTtl,
      Duration ttlStep,
      Poll poll,
      Life life,
      Calls calls) {
    this(
        store,
        has,
        EnumSet.allOf(LockMode.class),
        minTtl,
        maxTtl,
        ttlStep,
        poll,
        life,
        Wanted.ON_RENEWAL,
        calls);
  }

  /** The same with verbs that run otherwise. */
  public Traits with(Calls newCalls) {
    return new Traits(store, has, modes, minTtl, maxTtl, ttlStep, poll, life, wanted, newCalls);
  }

  /**
   * How often the engine asks about waiting tickets, all in one batch. The interval starts at
   * {@code shortest} when a caller begins to wait, and grows to {@code longest}.
   */
  public record Poll(Duration shortest, Duration longest, Signals signals) {}

  /** Whether the store wakes waiters. */
  public enum Signals {
    /**
     * {@link LockStore#watch} works, and {@link StoreListener#wake} is called. Polling is a
     * backstop.
     */
    SENT,
    /**
     * As {@link #SENT}, and in the step in which a lease ends it is granted to the next of those
     * who wait: a ticket that comes later never takes it first.
     */
    GRANTED,
    /** Only polling finds out. */
    NONE
  }

  /**
   * How long leases live.
   *
   * @param ends what ends the lease of a client that is gone
   * @param yieldPercent how much of its ttl a lease certainly stands after a grant or a renewal, in
   *     percent: less than 100 where a session is renewed by beats that overlap. {@link
   *     io.leasehold.Lease#ensureHeld} takes no more than that
   * @param crashExtra how long after its ttl the lease of a dead holder may still stand, by the ttl
   */
  public record Life(Ends ends, int yieldPercent, UnaryOperator<Duration> crashExtra) {
    /** Each lease ends when its ttl is over, to the step of the ttl. */
    public static final Life TTL = new Life(Ends.TTL, 100, ttl -> Duration.ZERO);

    /** Checks the percentage. */
    public Life {
      if (yieldPercent < 1 || yieldPercent > 100) {
        throw new IllegalArgumentException(
            "yieldPercent must be from 1 to 100, but is " + yieldPercent);
      }
    }
  }

  /** What ends the lease of a client that is gone. */
  public enum Ends {
    /** Its ttl alone. */
    TTL,
    /**
     * The end of its client's session with the store, at the ttl at the latest. {@link
     * io.leasehold.LockOptions#withMinHold} is refused: nothing stands when the process has ended.
     */
    SESSION
  }

  /** How the engine learns that another waits for a name that is held. */
  public enum Wanted {
    /** From the answers to attempts and renewals. A hand-over asks again if the last is too old. */
    ON_RENEWAL,
    /**
     * The same, and by {@link StoreListener#wanted} as soon as another begins to wait: what was
     * answered stays fresh as long as the connection stands.
     */
    REPORTED
  }

  /** Where the engine may run a verb. */
  public enum Calls {
    /** Verbs return at once and answer later; the engine calls them on any thread. */
    NON_BLOCKING,
    /**
     * Verbs block until answered, for no longer than they are told: a caller's request runs on the
     * caller's own thread, the engine's own requests on its own threads. Verbs are called
     * concurrently.
     */
    BLOCKING
  }
}
