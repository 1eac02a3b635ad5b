package io.leasehold.testkit.simulation;

import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.support.Clock;
import io.leasehold.testkit.InMemoryServer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the parts of a simulation with threads share. */
final class ThreadedWorld {
  /** What becomes of a request. */
  enum Fate {
    PASSES,
    /** It is not answered in the time that it was given. */
    HANGS,
    /** Nor for a while after that. */
    OVERRUNS,
    /** The connection breaks before it is answered. */
    BREAKS,
    /** It cannot be sent. */
    IS_REFUSED,
    /** The store throws an exception. */
    FAILS,
    /** The store throws an error. */
    THROWS
  }

  final ThreadedPlan plan;
  final Timeline time;
  final Trace trace;
  final Strands strands;
  final InMemoryServer server;
  final ThreadedJudge judge;
  private final Set<Situation> seen;
  private final Dice dice;
  private final Set<String> silent = new HashSet<>();
  private final Map<String, Long> troubled = new HashMap<>();
  private long lackedThread = -Plan.SECOND;
  private boolean faulty = true;

  ThreadedWorld(ThreadedPlan plan, Dice dice, Timeline time, Trace trace, Set<Situation> seen) {
    this.plan = plan;
    this.seen = seen;
    this.dice = dice;
    this.time = time;
    this.trace = trace;
    this.judge = new ThreadedJudge(this);
    this.strands = new Strands(time, trace, judge::thrown, this::logs);
    this.server = new InMemoryServer(plan.store, new ServerClock(time), Runnable::run);
    for (int i = 0; i < plan.silent; i++) {
      silent.add(Uses.name(i));
    }
  }

  private record ServerClock(Timeline time) implements Clock {
    @Override
    public long nanos() {
      return time.now();
    }

    @Override
    public long wallMillis() {
      return time.now() / Plan.MS;
    }
  }

  void sawThePlan() {
    saw(plan.isBlocking() ? Situation.BLOCKING_STORE : Situation.ANSWERS_LATER);
    if (plan.store.poll().signals() == Signals.NONE) {
      saw(Situation.POLLED_STORE);
    }
  }

  void saw(Situation what) {
    seen.add(what);
  }

  // ---- faults

  Fate fate(String verb, String name) {
    Fate fate = drawn(verb, name);
    if (fate != Fate.PASSES) {
      saw(Situation.valueOf("VERB_" + fate));
      trouble(name, plan.requestTimeout);
    }
    return fate;
  }

  private Fate drawn(String verb, String name) {
    if (!faulty) {
      return Fate.PASSES;
    }
    if (silent.contains(name) && plan.silentVerbs.contains(verb)) {
      return Fate.HANGS;
    }
    if (!plan.verbs.contains(verb)) {
      return Fate.PASSES;
    }
    double roll = dice.between(0, 999_999) / 1e6;
    double[] chances = {
      plan.hangs, plan.overruns, plan.breaks, plan.refusals, plan.failures, plan.errors
    };
    for (int i = 0; i < chances.length; i++) {
      roll -= chances[i];
      if (roll < 0) {
        return Fate.values()[i + 1];
      }
    }
    return Fate.PASSES;
  }

  void silence(String name, long nanos) {
    trace.line("nemesis", name + " is silent for " + Judge.ms(nanos));
    silent.add(name);
    trouble(name, nanos + plan.requestTimeout);
    time.in(nanos, () -> silent.remove(name));
  }

  void trouble(String name, long nanos) {
    troubled.merge(name, time.now() + nanos, Math::max);
  }

  /** Since when the store has answered all that was asked for a name, and threads could start. */
  long healthySince(String name) {
    return silent.contains(name) && faulty
        ? time.now()
        : Math.max(troubled.getOrDefault(name, 0L), lackedThread + plan.requestTimeout);
  }

  /** Whether a process gets no thread that it wants to start. */
  boolean lacksThread(String process) {
    boolean lacks = faulty && dice.chance(plan.lacksThreads);
    if (lacks) {
      saw(Situation.NO_THREAD);
      lackedThread = time.now();
      trace.line(process, "cannot start a thread");
    }
    return lacks;
  }

  long delay() {
    return dice.between(plan.fastest, plan.slowest);
  }

  boolean coin() {
    return dice.chance(0.5);
  }

  // ---- the user

  /** Code of the user, which may take long or throw. */
  void userCode(String what, double slow) {
    Strand me = Strand.current();
    if (!faulty || me == null) {
      return;
    }
    if (dice.chance(slow)) {
      long nanos = dice.spread(plan.slowestCode / 20, plan.slowestCode);
      trace.line(me.name, what + " takes " + Judge.ms(nanos));
      saw(Situation.valueOf("SLOW_" + what.toUpperCase(Locale.ROOT)));
      judge.userCode(what, 1);
      me.isKept(nanos);
      judge.userCode(what, -1);
    }
    if (dice.chance(plan.throwing)) {
      saw(Situation.USER_THROWS);
      trace.line(me.name, what + " throws");
      if (coin()) {
        throw new SimulatedFaults.Failed(what);
      }
      throw new SimulatedFaults.Broken(what);
    }
  }

  private void logs(String level) {
    trace.line(Strand.current().name, "logs " + level);
    userCode("logger", plan.slowLogs);
  }

  // ---- the end

  boolean isDraining() {
    return !faulty;
  }

  void heal() {
    faulty = false;
    trace.line("world", "heals");
  }
}
