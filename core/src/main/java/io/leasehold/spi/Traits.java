package io.leasehold.spi;

import io.leasehold.Trait;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What an open store declares of itself. Fixed while it is open.
 *
 * @param store its kind, for messages: "file", "redis"
 * @param has the traits it has; what is not listed it lacks
 * @param minTtl the smallest ttl it takes
 * @param maxTtl the largest ttl it takes
 * @param ttlStep the step to which it rounds a ttl up
 * @param poll how it must be polled for waiting tickets
 * @param crashExtra how long after its ttl a dead holder's lease may still stand
 * @param calls how its verbs run
 */
public record Traits(
    String store,
    Set<Trait> has,
    Duration minTtl,
    Duration maxTtl,
    Duration ttlStep,
    Poll poll,
    Duration crashExtra,
    Calls calls) {

  /** Copies the set. */
  public Traits {
    has = has.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(has));
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
     * As {@link #SENT}, and in the step in which a lease ends it is granted to whoever is next
     * among those who wait: nobody who comes later takes it first.
     */
    GRANTED,
    /** Only polling finds out. */
    NONE
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
