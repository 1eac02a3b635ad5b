package io.leasehold.spi;

import io.leasehold.LockMode;
import io.leasehold.Trait;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The properties that an open store declares. They never change while it is open.
 *
 * @param store the kind of the store, for messages: "file", "redis"
 * @param has the traits that the store has; it lacks all others
 * @param modes the modes that it supports, {@link LockMode#EXCLUSIVE} at least. The engine refuses
 *     locks of another mode without a request to the store
 * @param minTtl the smallest ttl that it accepts
 * @param maxTtl the largest ttl that it accepts
 * @param ttlStep the step to which the engine rounds a ttl up
 * @param poll how the engine polls it for waiting tickets
 * @param life how long its leases live
 * @param wanted how the engine learns that another ticket waits for a held name
 * @param calls how its verbs run
 * @param numbers who makes the fence numbers
 * @param neighbours how tickets of one client are served that stand one behind the other
 * @param hearing on which threads it hears what it reports
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
    Calls calls,
    Numbers numbers,
    Neighbours neighbours,
    Hearing hearing) {

  /** Copies the sets, and rejects modes without {@link LockMode#EXCLUSIVE}. */
  public Traits {
    has = has.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(has));
    modes = Set.copyOf(modes);
    if (!modes.contains(LockMode.EXCLUSIVE)) {
      throw new IllegalArgumentException("a store must support exclusive leases");
    }
  }

  /** The traits of a store that makes its fence numbers. */
  public Traits(
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
    this(
        store,
        has,
        modes,
        minTtl,
        maxTtl,
        ttlStep,
        poll,
        life,
        wanted,
        calls,
        Numbers.MADE,
        Neighbours.APART,
        Hearing.BY_STORE);
  }

  /**
   * The traits of a store that makes its fence numbers, supports every mode, and reports waiting
   * tickets in its answers to renewals.
   */
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

  /** The same traits with another way to run verbs. */
  public Traits with(Calls newCalls) {
    return with(newCalls, numbers, neighbours, hearing);
  }

  /** The same traits with other fence numbers. */
  public Traits with(Numbers newNumbers) {
    return with(calls, newNumbers, neighbours, hearing);
  }

  /** The same traits with another way to serve neighbours. */
  public Traits with(Neighbours newNeighbours) {
    return with(calls, numbers, newNeighbours, hearing);
  }

  /** The same traits with other threads that hear. */
  public Traits with(Hearing newHearing) {
    return with(calls, numbers, neighbours, newHearing);
  }

  private Traits with(
      Calls newCalls, Numbers newNumbers, Neighbours newNeighbours, Hearing newHearing) {
    return new Traits(
        store,
        has,
        modes,
        minTtl,
        maxTtl,
        ttlStep,
        poll,
        life,
        wanted,
        newCalls,
        newNumbers,
        newNeighbours,
        newHearing);
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
     * As {@link #SENT}; moreover, the step that ends a lease grants it to the next waiting ticket,
     * so a ticket that arrives later never overtakes.
     */
    GRANTED,
    /** The store sends no signals; the engine only polls. */
    NONE
  }

  /**
   * How long leases live.
   *
   * @param ends what ends the lease of a client that is gone
   * @param yieldPercent the part of its ttl, in percent, that a lease certainly lives after a grant
   *     or a renewal: less than 100 where beats that overlap renew a session. {@link
   *     io.leasehold.Lease#ensureHeld} accepts no more than that
   * @param crashExtra for a ttl, how much longer than that the lease of a dead holder may stand
   */
  public record Life(Ends ends, int yieldPercent, UnaryOperator<Duration> crashExtra) {
    /** Each lease ends with its ttl, to the precision of {@code ttlStep}. */
    public static final Life TTL = new Life(Ends.TTL, 100, ttl -> Duration.ZERO);

    /** Rejects a percentage outside 1 to 100. */
    public Life {
      if (yieldPercent < 1 || yieldPercent > 100) {
        throw new IllegalArgumentException(
            "yieldPercent must be from 1 to 100, but is " + yieldPercent);
      }
    }
  }

  /** What ends the lease of a client that is gone. */
  public enum Ends {
    /** The end of its ttl. */
    TTL,
    /**
     * The end of the client's session with the store, or of the ttl if that is sooner. The engine
     * refuses {@link io.leasehold.LockOptions#withMinHold}, because no lease outlives the process.
     */
    SESSION
  }

  /** How the engine learns that another ticket waits for a held name. */
  public enum Wanted {
    /**
     * By the answers to attempts and renewals. Before a hand-over the engine asks again if the last
     * answer is too old.
     */
    ON_RENEWAL,
    /**
     * As {@link #ON_RENEWAL}, and by {@link StoreListener#wanted} as soon as another ticket begins
     * to wait: an answer stays valid as long as the connection stands.
     */
    REPORTED
  }

  /** Where the engine may run a verb. */
  public enum Calls {
    /** Verbs return at once and answer later; the engine calls them on any thread. */
    NON_BLOCKING,
    /**
     * Verbs block until they have the answer, at most for {@code within}. The engine runs a
     * caller's request on the caller's thread, and its other requests on the client's threads,
     * concurrently.
     */
    BLOCKING
  }

  /** Who makes the fence numbers of a store with {@link Trait#FENCING}. */
  public enum Numbers {
    /** The store; it ignores {@link Ticket#leastNumber}. */
    MADE,
    /**
     * The ticket may ask for one: a grant has the larger of {@link Ticket#leastNumber} and one more
     * than the last. A repeated attempt that asks for more raises the number of a lease that still
     * stands; the next grant is above that. A quorum's token is made of such numbers.
     */
    ASKED_FOR
  }

  /** How fair exclusive tickets of one client are served that stand one behind the other. */
  public enum Neighbours {
    /** Each by an attempt and a grant of its own. */
    APART,
    /**
     * They come to their places together, by {@link LockStore#attempt(List, Duration)}, and are
     * granted as one {@linkplain Attempt.Granted#run run}, which {@link LockStore#release(Ticket,
     * Collection, Duration)} ends.
     */
    TOGETHER
  }

  /** On which threads a store hears what it reports. */
  public enum Hearing {
    /** On its own. */
    BY_STORE,
    /** Moreover on that of a caller that waits, by {@link LockStore#hear}. */
    BY_CALLERS
  }
}
