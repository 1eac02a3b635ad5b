package io.leasehold.testkit.simulation;

import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.ThreadedPlan.Disaster;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** One kind of trouble alone, and often: a promise that it breaks is broken within few seeds. */
enum Scene {
  /** Asking to be woken hangs, on the thread of a caller that has a deadline. */
  WATCHES_HANG {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.store = ThreadedPlan.store(Calls.BLOCKING, true);
      p.verbs = Set.of("watch");
      p.hangs = 0.5;
      p.requestTimeout = 2 * Plan.SECOND;
      p.timed = 1;
      p.longestWait = 300 * Plan.MS;
      p.holds = 300 * Plan.MS;
    }
  },
  /** What users do when a future completes takes long, while others wait and leases are lost. */
  COMPLETIONS_TAKE_LONG {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.uses = new Uses(List.of(0, 0, 0), 0, 0, dice.pick(List.of(0.0, 0.5)), 0);
      p.callers = 5;
      p.async = dice.pick(List.of(0.5, 0.8));
      p.slowCompletions = 0.7;
      p.longestWait = 300 * Plan.MS;
      p.holds = Plan.SECOND;
      p.kinds = List.of(Disaster.BREAK);
      p.disasters = 100 * Plan.MS;
      p.ttls = List.of(500 * Plan.MS);
    }
  },
  /** Callers hear of their grants themselves, or cannot; a poll comes too late for any of them. */
  CALLERS_HEAR {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      Feature[] direct = dice.chance(0.7) ? new Feature[] {Feature.DIRECT_GRANT} : new Feature[0];
      p.store =
          ThreadedPlan.store(Calls.BLOCKING, true, direct)
              .withPoll(new Poll(Duration.ofHours(1), Duration.ofHours(1), Signals.SENT));
      p.letCallersHear(dice.chance(0.3));
      p.wakesSurely = true;
      p.callers = dice.between(1, 3);
      p.verbs = Set.of("hear");
      p.hangs = 0.05;
      p.breaks = 0.1;
      p.refusals = 0.1;
      p.failures = 0.05;
      p.errors = 0.05;
      p.interrupts = 0.2;
      p.holds = 300 * Plan.MS;
    }
  },
  /** A name about which the store never says anything. */
  A_NAME_IS_SILENT {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.silent = 1;
      p.processes = 1;
      p.tries = 0.5;
      p.timed = 1;
    }
  },
  /** Requests for two names hang, while a third, which is answered, is waited for by polling. */
  NAMES_HANG_BESIDE_A_POLLED_ONE {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.store = ThreadedPlan.store(Calls.BLOCKING, false);
      p.uses = new Uses(List.of(0, 0, 0), 0, 0, 0, 0);
      p.silent = 2;
      p.requestTimeout = 5 * Plan.SECOND;
      p.callers = 8;
      p.async = 0.6;
      p.timed = 0.5;
      p.thinks = 30 * Plan.MS;
      p.trouble = 8 * Plan.SECOND;
    }
  },
  /** Renewals of two names hang, while a third, which is answered, has a short ttl. */
  RENEWALS_HANG_BESIDE_A_SHORT_LEASE {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.uses = new Uses(List.of(0, 0, 0), 0, 0, 0, 0);
      p.silent = 2;
      p.silentVerbs = Set.of("renew");
      p.requestTimeout = 5 * Plan.SECOND;
      p.processes = 1;
      p.callers = 8;
      p.timed = 1;
      p.async = 0;
      p.thinks = Plan.SECOND;
      p.holds = 20 * Plan.SECOND;
      p.ttls = List.of(600 * Plan.MS, 6 * Plan.SECOND, 6 * Plan.SECOND);
      p.trouble = 30 * Plan.SECOND;
    }
  },
  /** The store throws errors and exceptions instead of answers. */
  VERBS_THROW {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.errors = 0.1;
      p.failures = 0.05;
      p.async = 0.3;
    }
  },
  /** The process gets no thread now and then. */
  THREADS_CANNOT_START {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.lacksThreads = 0.1;
      p.async = 0.4;
    }
  },
  /** Listeners, callbacks, completions and the logger throw. */
  CODE_OF_THE_USER_THROWS {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.throwing = 0.3;
      p.async = 0.4;
      p.ttls = List.of(400 * Plan.MS);
      p.hangs = 0.1;
      p.kinds = List.of(Disaster.BREAK);
      p.disasters = 100 * Plan.MS;
    }
  },
  /** Connections break under releases. */
  RELEASES_BREAK {
    @Override
    void goesWrong(ThreadedPlan p, Dice dice) {
      p.verbs = Set.of("release");
      p.breaks = 0.3;
      p.refusals = 0.1;
    }
  };

  abstract void goesWrong(ThreadedPlan plan, Dice dice);

  ThreadedPlan plan(Dice dice) {
    ThreadedPlan plan = new ThreadedPlan();
    boolean signals = dice.chance(0.5);
    plan.store =
        ThreadedPlan.store(dice.chance(0.7) ? Calls.BLOCKING : Calls.NON_BLOCKING, signals);
    plan.requestTimeout = dice.spread(300 * Plan.MS, 2 * Plan.SECOND);
    goesWrong(plan, dice);
    return plan;
  }
}
