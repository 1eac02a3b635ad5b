package io.leasehold.testkit.simulation;

import io.leasehold.spi.Traits;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a seed decides at the beginning: the store, the world, how bad it gets.
 *
 * @param store which store it is
 * @param lazyExpiry whether the server notices what expired only when it is asked
 * @param quietWakes whether no wake-up is ever lost or late: where polling is off
 * @param processes how many
 * @param callers how many in each process
 * @param uses what the lock names are used for
 * @param ttls from which callers choose
 * @param requestTimeout of every client
 * @param handOver of every client
 * @param fastest the shortest way of a message, in nanoseconds
 * @param slowest the longest usual way
 * @param latest the longest way ever, while faults are on
 * @param lostRequests how likely a request is lost before it is applied, while faults are on
 * @param lostReplies how likely a reply is lost
 * @param duplicates how likely a request arrives twice
 * @param late how likely a request takes much longer
 * @param tries how likely a call only tries
 * @param lostWakes how likely a wake-up is lost
 * @param inside how likely a verb is answered before it returns
 * @param tardy how likely a verb is not answered in the time that it is told
 * @param disasters how often something bigger happens, as the mean time between two in nanoseconds;
 *     0 for never
 * @param kinds which bigger things
 * @param trouble how long all that goes on, in nanoseconds
 */
record Plan(
    InMemorySettings store,
    boolean lazyExpiry,
    boolean quietWakes,
    int processes,
    int callers,
    Uses uses,
    List<Long> ttls,
    long requestTimeout,
    long handOver,
    long fastest,
    long slowest,
    long latest,
    double lostRequests,
    double lostReplies,
    double duplicates,
    double late,
    double tries,
    double lostWakes,
    double inside,
    double tardy,
    long disasters,
    List<Disaster> kinds,
    long trouble) {

  /** Something bigger that goes wrong. */
  enum Disaster {
    CRASH,
    PAUSE,
    SUSPEND,
    WALL_STEP,
    RESTART,
    PARTITION,
    CUT,
    REFUSE,
    END_SESSION,
    BREAK,
    SHORTEN,
    SPURIOUS_WAKE,
    CLOSE
  }

  static final long MS = 1_000_000;
  static final long SECOND = 1_000 * MS;

  /** Whether messages always arrive, and soon. */
  boolean isCalm() {
    return lostRequests + lostReplies + late + tardy == 0 && disasters == 0;
  }

  boolean isPolled() {
    return store.poll().longest().toSeconds() < 60;
  }

  boolean has(Feature feature) {
    return store.features().contains(feature);
  }

  /**
   * Draws one.
   *
   * @param neighbours whether fair waiters of a process are served together if there is a queue
   * @param watched whether an attempt that is told to wait is watched, if there is a queue
   * @param more callers of each process
   */
  static Plan of(Dice dice, boolean neighbours, boolean watched, int more) {
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    boolean fenced = !dice.chance(0.1);
    add(features, Feature.FENCING, fenced);
    add(features, Feature.TOMBSTONES, dice.chance(0.65));
    add(features, Feature.QUEUE, dice.chance(0.6));
    add(features, Feature.NEIGHBOURS, features.contains(Feature.QUEUE) && neighbours);
    add(features, Feature.NO_BARGING, features.contains(Feature.QUEUE) && dice.chance(0.4));
    add(features, Feature.DIRECT_GRANT, features.contains(Feature.QUEUE) && dice.chance(0.4));
    add(features, Feature.SESSIONS, dice.chance(0.25));
    boolean tells = features.contains(Feature.DIRECT_GRANT) && fenced && dice.chance(0.7);
    add(features, Feature.GRANT_MESSAGES, tells);
    boolean signals = !dice.chance(0.25);
    if (!signals) {
      features.remove(Feature.DIRECT_GRANT);
    }
    add(features, Feature.WATCHED_ATTEMPTS, features.contains(Feature.QUEUE) && signals && watched);
    boolean polled = !signals || !dice.chance(0.25);
    long longest = polled ? dice.pick(List.of(100 * MS, 1000 * MS, 1000 * MS)) : 3600 * SECOND;
    Traits.Poll poll =
        new Traits.Poll(
            Duration.ofNanos(polled ? dice.spread(2 * MS, longest) : longest),
            Duration.ofNanos(longest),
            signals ? Traits.Signals.SENT : Traits.Signals.NONE);
    boolean calm = dice.chance(0.12);
    double worst = calm ? 0 : dice.pick(List.of(0.02, 0.15, 0.15, 0.4));
    long fastest = dice.pick(List.of(20_000L, 200_000L, MS));
    long slowest = fastest * dice.between(1, 20);
    // Connections break all the time, and what was sent before arrives later.
    boolean storm = !calm && dice.chance(0.04);
    boolean tardy = !calm && !storm && dice.chance(0.15);
    long least = Math.max(50 * MS, 4 * slowest);
    long requestTimeout = dice.spread(least, tardy ? Math.max(least, 300 * MS) : 3 * SECOND);
    List<Disaster> kinds = new ArrayList<>();
    for (Disaster kind : Disaster.values()) {
      if (dice.chance(0.35)) {
        kinds.add(kind);
      }
    }
    if (storm) {
      kinds.clear();
      kinds.add(Disaster.CUT);
    }
    if (kinds.contains(Disaster.SUSPEND)) {
      kinds.remove(Disaster.WALL_STEP);
    }
    if (!features.contains(Feature.SESSIONS)) {
      kinds.remove(Disaster.END_SESSION);
    }
    List<Long> ttls = new ArrayList<>();
    if (!polled) {
      // A lease that is gone before its grant was seen is found out by polling only.
      kinds.remove(Disaster.BREAK);
      kinds.remove(Disaster.SHORTEN);
      kinds.remove(Disaster.END_SESSION);
    }
    // A caller that waits for a dead holder waits for its ttl: that must not take too many polls.
    boolean dead = kinds.contains(Disaster.CRASH) || kinds.contains(Disaster.CLOSE);
    long longTtl = dead ? 20 * SECOND : 600 * SECOND;
    ttls.add(
        dice.pick(
            !polled
                ? List.of(30 * SECOND, longTtl)
                : List.of(
                    200 * MS, 500 * MS, 1000 * MS, 10 * SECOND, 30 * SECOND, longTtl, longTtl)));
    if (polled && dice.chance(0.25)) {
      ttls.add(dice.pick(List.of(300 * MS, 3 * SECOND, longTtl)));
    }
    return new Plan(
        InMemorySettings.defaults()
            .withFeatures(features.toArray(Feature[]::new))
            .withTtl(
                Duration.ofMillis(50),
                Duration.ofHours(1),
                Duration.ofMillis(dice.pick(List.of(1, 1, 100))))
            .withPoll(poll),
        polled && dice.chance(0.3),
        !polled,
        dice.between(2, 4),
        dice.between(1, 4) + more,
        Uses.of(dice),
        ttls,
        requestTimeout,
        dice.pick(List.of(0L, 2 * MS, 2 * MS, 20 * MS, 500 * MS)),
        fastest,
        slowest,
        calm ? slowest : tardy || storm ? 2 * SECOND : dice.spread(slowest, 4 * SECOND),
        dice.chance(0.8) ? worst * 0.5 : 0,
        dice.chance(0.8) ? worst : 0,
        dice.chance(0.5) ? worst : 0,
        tardy || storm ? 0.3 : dice.chance(0.5) ? worst : 0,
        storm ? 0.6 : 0.2,
        polled ? dice.pick(List.of(0.0, 0.1, 0.5, 1.0)) : 0,
        dice.chance(0.1) ? 0.5 : 0,
        tardy ? 0.3 : 0,
        calm || kinds.isEmpty() ? 0 : storm ? 50 * MS : dice.spread(100 * MS, 3 * SECOND),
        kinds,
        dice.spread(500 * MS, 15 * SECOND));
  }

  private static void add(Set<Feature> features, Feature feature, boolean wanted) {
    if (wanted) {
      features.add(feature);
    }
  }
}
