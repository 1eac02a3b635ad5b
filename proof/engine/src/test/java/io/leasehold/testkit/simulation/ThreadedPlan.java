package io.leasehold.testkit.simulation;

import io.leasehold.spi.Traits;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a seed decides about callers with threads: the store, its faults, the code of the user.
 * Begins as good weather; {@link #of} makes it bad.
 */
final class ThreadedPlan {
  /** Something bigger that goes wrong. */
  enum Disaster {
    /** The requests of one name hang. */
    SILENCE,
    /** An operator breaks a lease. */
    BREAK,
    /** The connection is a new one. */
    RECONNECT
  }

  static final Set<String> ALL_VERBS = Set.of("attempt", "withdraw", "renew", "release", "watch");

  InMemorySettings store = store(Calls.BLOCKING, true);
  int processes = 2;
  int callers = 3;
  Uses uses = new Uses(List.of(0), 0, 0, 0, 0);
  List<Long> ttls = List.of(600 * Plan.SECOND);
  long requestTimeout = Plan.SECOND;
  long fastest = 200_000;
  long slowest = 2 * Plan.MS;
  long jitter = 200_000;
  long trouble = 2 * Plan.SECOND;

  /** How long callers think between two calls, and how long they hold at most. */
  long thinks = 100 * Plan.MS;

  long holds = 100 * Plan.MS;

  /** Whether the store lets callers hear, and hears by itself if none does for a while. */
  boolean hears;

  boolean takesBack;

  /** Whether no wake-up is lost: a caller that needs a poll was forgotten. */
  boolean wakesSurely;

  /** How callers ask. */
  double tries;

  double timed = 0.6;
  double scopes = 0.2;
  double async = 0.2;
  double interrupts;
  long longestWait = Plan.SECOND;

  /**
   * Which verbs go wrong, and how likely: they hang, for too long, or fail in one of these ways.
   */
  Set<String> verbs = ALL_VERBS;

  double hangs;
  double overruns;
  double breaks;
  double refusals;
  double failures;
  double errors;
  double lacksThreads;

  /** How likely code of the user takes long, and how long, or throws. */
  double slowCompletions;

  double slowCallbacks;
  double slowListeners;
  double slowLogs;
  double throwing;
  long slowestCode = 4 * Plan.SECOND;

  long disasters;
  List<Disaster> kinds = List.of();

  /** How many of the names are silent from the beginning until all heals. */
  int silent;

  /** Which verbs hang there. */
  Set<String> silentVerbs = ALL_VERBS;

  static InMemorySettings store(Calls calls, boolean signals, Feature... more) {
    List<Feature> features = new ArrayList<>(List.of(more));
    features.addAll(List.of(Feature.FENCING, Feature.QUEUE, Feature.TOMBSTONES));
    if (signals) {
      features.add(Feature.NEIGHBOURS);
    }
    return InMemorySettings.defaults()
        .withCalls(calls)
        .withFeatures(features.toArray(Feature[]::new))
        .withPoll(
            new Traits.Poll(
                Duration.ofMillis(signals ? 100 : 2),
                Duration.ofMillis(signals ? 1000 : 100),
                signals ? Traits.Signals.SENT : Traits.Signals.NONE));
  }

  /** A ticket that must wait is watched from its attempt on, if the store wakes waiters. */
  void watchAttempts() {
    if (store.poll().signals() != Traits.Signals.NONE) {
      store = store.withMoreFeatures(Feature.WATCHED_ATTEMPTS);
    }
  }

  /** Callers hear of their grants themselves, if the store blocks and wakes waiters. */
  void letCallersHear(boolean newTakesBack) {
    if (!isBlocking() || store.poll().signals() == Traits.Signals.NONE) {
      return;
    }
    watchAttempts();
    hears = true;
    takesBack = newTakesBack;
    if (verbs.equals(ALL_VERBS)) {
      verbs = new TreeSet<>(verbs);
      verbs.add("hear");
    }
  }

  boolean isBlocking() {
    return store.calls() == Calls.BLOCKING;
  }

  /** How long a lock may be free while callers wait for it. */
  long longestUnserved() {
    return wakesSurely ? 2 * Plan.SECOND : store.poll().longest().toNanos();
  }

  /** Nothing goes wrong, but that callers are interrupted. */
  static ThreadedPlan calm(Dice dice) {
    ThreadedPlan p = new ThreadedPlan();
    p.store = store(dice.chance(0.5) ? Calls.BLOCKING : Calls.NON_BLOCKING, dice.chance(0.5));
    p.uses = quiet(Uses.of(dice));
    p.interrupts = 0.2;
    return p;
  }

  static ThreadedPlan of(Dice dice) {
    ThreadedPlan p = new ThreadedPlan();
    boolean signals = dice.chance(0.6);
    Feature[] direct =
        signals && dice.chance(0.4) ? new Feature[] {Feature.DIRECT_GRANT} : new Feature[0];
    p.store = store(dice.chance(0.75) ? Calls.BLOCKING : Calls.NON_BLOCKING, signals, direct);
    p.processes = dice.between(1, 2);
    p.callers = dice.between(2, 5);
    p.uses = dice.chance(0.5) ? new Uses(kinds(dice), 0, 0, 0, 0) : quiet(Uses.of(dice));
    p.ttls =
        List.of(
            dice.pick(List.of(400 * Plan.MS, Plan.SECOND, 30 * Plan.SECOND, 600 * Plan.SECOND)));
    p.requestTimeout = dice.spread(100 * Plan.MS, 3 * Plan.SECOND);
    p.fastest = dice.pick(List.of(20_000L, 200_000L, Plan.MS));
    p.slowest = p.fastest * dice.between(1, 10);
    p.jitter = dice.pick(List.of(20_000L, 200_000L, Plan.MS));
    p.trouble = dice.spread(300 * Plan.MS, 4 * Plan.SECOND);
    p.thinks = dice.spread(5 * Plan.MS, 300 * Plan.MS);
    p.holds = dice.spread(5 * Plan.MS, Plan.SECOND);
    p.tries = dice.pick(List.of(0.1, 0.3, 0.7));
    p.async = dice.pick(List.of(0.0, 0.2, 0.6));
    p.interrupts = dice.pick(List.of(0.0, 0.1, 0.3));
    p.longestWait = dice.spread(20 * Plan.MS, 3 * Plan.SECOND);
    p.goesWrong(dice);
    return p;
  }

  private static List<Integer> kinds(Dice dice) {
    List<Integer> kinds = new ArrayList<>();
    for (int i = dice.between(1, 3); i > 0; i--) {
      kinds.add(0);
    }
    return kinds;
  }

  private static Uses quiet(Uses uses) {
    return new Uses(uses.kinds(), uses.reads(), uses.fair(), uses.several(), 0);
  }

  private void goesWrong(Dice dice) {
    double worst = dice.pick(List.of(0.0, 0.02, 0.1, 0.3));
    hangs = dice.chance(0.5) ? worst : 0;
    overruns = dice.chance(0.2) ? worst / 4 : 0;
    breaks = dice.chance(0.6) ? worst : 0;
    refusals = dice.chance(0.4) ? worst : 0;
    failures = dice.chance(0.3) ? worst / 2 : 0;
    errors = dice.chance(0.3) ? worst / 2 : 0;
    lacksThreads = dice.chance(0.1) ? 0.05 : 0;
    if (dice.chance(0.3)) {
      verbs = Set.of(dice.pick(ALL_VERBS.stream().sorted().toList()));
    }
    double rude = dice.pick(List.of(0.0, 0.0, 0.1, 0.4));
    slowCompletions = dice.chance(0.6) ? rude : 0;
    slowCallbacks = dice.chance(0.4) ? rude : 0;
    slowListeners = dice.chance(0.4) ? rude / 10 : 0;
    slowLogs = dice.chance(0.3) ? rude : 0;
    throwing = dice.chance(0.5) ? rude : 0;
    List<Disaster> some = new ArrayList<>();
    for (Disaster kind : Disaster.values()) {
      if (dice.chance(0.4)) {
        some.add(kind);
      }
    }
    kinds = some;
    disasters = some.isEmpty() ? 0 : dice.spread(50 * Plan.MS, 2 * Plan.SECOND);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %s, %d processes, %d callers, %s, ttls %s, request timeout %s, wrong: %s",
        store.calls(),
        store.poll(),
        processes,
        callers,
        uses,
        ttls.stream().map(Judge::ms).toList(),
        Judge.ms(requestTimeout),
        verbs.stream().sorted().toList());
  }
}
