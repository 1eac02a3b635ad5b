package io.leasehold.testkit;

import io.leasehold.LockMode;
import io.leasehold.Trait;
import io.leasehold.spi.Traits;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which of the stores that exist an {@link InMemoryServer} resembles. Start from {@link
 * #defaults()}.
 *
 * @param features what it can do
 * @param minTtl the smallest ttl it takes
 * @param maxTtl the largest ttl it takes
 * @param ttlStep the step of its ttl
 * @param poll how it must be polled, and whether it wakes waiters
 * @param calls how its verbs are declared to run; they never block in fact
 */
public record InMemorySettings(
    Set<Feature> features,
    Duration minTtl,
    Duration maxTtl,
    Duration ttlStep,
    Traits.Poll poll,
    Traits.Calls calls) {

  private static final InMemorySettings DEFAULTS =
      new InMemorySettings(
          EnumSet.of(Feature.FENCING, Feature.QUEUE, Feature.NEIGHBOURS, Feature.TOMBSTONES),
          Duration.ofMillis(1),
          Duration.ofDays(1),
          Duration.ofMillis(1),
          new Traits.Poll(Duration.ofMillis(100), Duration.ofSeconds(1), Traits.Signals.SENT),
          Traits.Calls.NON_BLOCKING);

  /** One thing that some stores can and others cannot. */
  public enum Feature {
    /** Grants carry rising numbers. */
    FENCING,
    /**
     * It is declared to survive a restart: {@link InMemoryServer#restart} keeps what is held, and
     * {@link InMemoryServer#restartEmpty} the last fence number.
     */
    SURVIVES_RESTART,
    /** Waiters have places, and fair ones are granted in their order. */
    QUEUE,
    /**
     * With {@link #QUEUE}: fair tickets of a client that stand one behind the other come to their
     * places together, and are granted as one run.
     */
    NEIGHBOURS,
    /** With {@link #QUEUE}: no ticket overtakes a waiter, neither an unfair one nor a try. */
    NO_BARGING,
    /**
     * With {@link #QUEUE}: what comes free is granted to the first waiter, who has a short time to
     * ask for it.
     */
    DIRECT_GRANT,
    /**
     * With {@link #DIRECT_GRANT} and {@link #FENCING}: the waiter is told of the grant itself, and
     * need not ask for it at once.
     */
    GRANT_MESSAGES,
    /**
     * Ids that were withdrawn or released are remembered for a while, so that withdrawal is final.
     */
    TOMBSTONES,
    /**
     * With {@link #QUEUE}, and where it wakes waiters: a ticket that must wait is watched from its
     * attempt on, and the answer says so.
     */
    WATCHED_ATTEMPTS,
    /** Leases live and die with a session: one for each ttl of a client. */
    SESSIONS,
    /**
     * With {@link #SESSIONS}: a client may count on half of the session's life, as after a beat.
     */
    HALF_YIELD,
    /** A failed try is seen as a waiter until it is answered. */
    VISIBLE_TRIES,
    /** A holder's client is told as soon as another begins to wait. */
    REPORTS_WANTED,
    /** Neither read locks nor semaphores. */
    EXCLUSIVE_ONLY
  }

  /** Copies the set. */
  public InMemorySettings {
    EnumSet<Feature> inOrder = EnumSet.noneOf(Feature.class);
    inOrder.addAll(features);
    features = Collections.unmodifiableSet(inOrder);
  }

  /**
   * A store that can do everything a client may ask for: fencing, a queue, tombstones, wake-ups;
   * any ttl from 1 ms to a day; polled between 100 ms and 1 s.
   */
  public static InMemorySettings defaults() {
    return DEFAULTS;
  }

  /** Exactly these features. */
  public InMemorySettings withFeatures(Feature... newFeatures) {
    EnumSet<Feature> set = EnumSet.noneOf(Feature.class);
    set.addAll(Arrays.asList(newFeatures));
    return new InMemorySettings(set, minTtl, maxTtl, ttlStep, poll, calls);
  }

  /** These features besides the others. */
  public InMemorySettings withMoreFeatures(Feature... more) {
    EnumSet<Feature> set = EnumSet.noneOf(Feature.class);
    set.addAll(features);
    set.addAll(Arrays.asList(more));
    return withFeatures(set.toArray(Feature[]::new));
  }

  /** These ttl limits. */
  public InMemorySettings withTtl(Duration min, Duration max, Duration step) {
    return new InMemorySettings(features, min, max, step, poll, calls);
  }

  /** This way of polling. */
  public InMemorySettings withPoll(Traits.Poll newPoll) {
    return new InMemorySettings(features, minTtl, maxTtl, ttlStep, newPoll, calls);
  }

  /** Declares its verbs to run this way. */
  public InMemorySettings withCalls(Traits.Calls newCalls) {
    return new InMemorySettings(features, minTtl, maxTtl, ttlStep, poll, newCalls);
  }

  boolean has(Feature feature) {
    return features.contains(feature);
  }

  Traits traits() {
    EnumSet<Trait> traits = EnumSet.of(Trait.LINEARIZABLE);
    if (has(Feature.FENCING)) {
      traits.add(Trait.FENCING);
    }
    if (has(Feature.QUEUE)) {
      traits.add(Trait.FIFO);
    }
    if (has(Feature.SURVIVES_RESTART)) {
      traits.add(Trait.SURVIVES_RESTART);
    }
    return new Traits(
        "memory",
        traits,
        has(Feature.EXCLUSIVE_ONLY)
            ? EnumSet.of(LockMode.EXCLUSIVE)
            : EnumSet.allOf(LockMode.class),
        minTtl,
        maxTtl,
        ttlStep,
        pollAndGrants(),
        life(),
        has(Feature.REPORTS_WANTED) ? Traits.Wanted.REPORTED : Traits.Wanted.ON_RENEWAL,
        calls,
        Traits.Numbers.ASKED_FOR,
        has(Feature.NEIGHBOURS) ? Traits.Neighbours.TOGETHER : Traits.Neighbours.APART,
        Traits.Hearing.BY_STORE);
  }

  private Traits.Life life() {
    return has(Feature.SESSIONS)
        ? new Traits.Life(
            Traits.Ends.SESSION, has(Feature.HALF_YIELD) ? 50 : 100, ttl -> Duration.ZERO)
        : Traits.Life.TTL;
  }

  private Traits.Poll pollAndGrants() {
    boolean grants = has(Feature.DIRECT_GRANT) && has(Feature.QUEUE);
    return grants && poll.signals() == Traits.Signals.SENT
        ? new Traits.Poll(poll.shortest(), poll.longest(), Traits.Signals.GRANTED)
        : poll;
  }
}
