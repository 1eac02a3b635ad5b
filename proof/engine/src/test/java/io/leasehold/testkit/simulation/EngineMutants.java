package io.leasehold.testkit.simulation;

import static io.leasehold.testkit.simulation.Mutant.mutant;
import static io.leasehold.testkit.simulation.Mutant.threads;

import io.leasehold.testkit.simulation.PatchedEngine.Patch;
import java.util.List;

/** Bugs in what the engine does for every lock. */
final class EngineMutants {
  private static final String KEEPER_LETS_GO = "engine.keeper.remove(grant); begin();";

  static final List<Mutant> ALL =
      List.of(
          // ---- validity
          mutant(
              "validity of a grant counted from the reply",
              "AttemptCall",
              "return Validity.of(sent, sentWall, granted.remaining());",
              "return Validity.of(queue.engine.clock.nanos(), sentWall, granted.remaining());"),
          mutant(
              "validity of a renewal counted from the reply",
              "LeaseKeeper",
              "Validity.of(sent, sentWall, renewed.remaining())",
              "Validity.of(engine.clock.nanos(), sentWall, renewed.remaining())"),
          mutant(
              "validity from the ttl asked for, not the remaining life",
              "Contender",
              "granted(granted, call.validity(granted), steps);",
              "granted(granted, call.validity(new Granted(granted.number(), ticket.ttl(), false)), steps);"),
          mutant(
              "no allowance for drift",
              "Validity",
              "sent + life - life / 100 * DRIFT_PERCENT - DRIFT_NANOS",
              "sent + life"),
          mutant(
              "validity not shortened by a renewal that says less",
              "Grant",
              "validity = newer;",
              "validity = newer.until() - validity.until() > 0 ? newer : validity;"),
          mutant(
              "suspension of the host not noticed",
              "Validity",
              "return wall - sentWall > (clock.nanos() - sent) / 1_000_000 + SUSPENDED_MILLIS;",
              "return false;"),
          mutant(
              "wall clock read at the reply to a renewal",
              "LeaseKeeper",
              "Validity.of(sent, sentWall, renewed.remaining())",
              "Validity.of(sent, engine.clock.wallMillis(), renewed.remaining())"),
          // ---- grants that count by their message
          mutant(
              "validity of a told grant counted from the message",
              "Validity",
              "long old = Durations.nanos(age.get());",
              "long old = 0;"),
          mutant(
              "a message that is late is believed",
              "GrantMessages",
              "if (number <= word.mark) {",
              "if (number < 0) {"),
          mutant(
              "no early confirmation of a told grant",
              "LeaseKeeper",
              "long third = grant.life() / 3;",
              "long third = grant.terms.ttlNanos() / 3;"),
          mutant(
              "a told grant is not confirmed",
              "GrantMessages",
              "return known == null ? 0 : known.told();",
              "return 0;"),
          mutant(
              "age of a told grant by the clock that stops",
              "GrantMessages",
              "return Duration.ofNanos(Math.max(wall, own));",
              "return Duration.ofNanos(own);"),
          // ---- renewal and loss
          mutant(
              "no renewal",
              "LeaseKeeper",
              "grant.renewAt = now + Math.max(2 * early, SHORTEST_RETRY_NANOS); return true;",
              "return false;"),
          new Mutant(
              "renewal goes on after the release",
              List.of(
                  new Patch(
                      "Grant",
                      "return now == Phase.HELD || now == Phase.REFRESHING;",
                      "return now != Phase.ENDED;"),
                  new Patch("Releaser", KEEPER_LETS_GO, "begin();")),
              ""),
          mutant("lease not let go by the keeper", "Releaser", KEEPER_LETS_GO, "begin();"),
          mutant(
              "kept on the terms of the caller who began to contend",
              "NameQueue",
              "new Grant(this, c, waiter.terms, granted, validity, behind)",
              "new Grant(this, c, c.terms, granted, validity, behind)"),
          mutant(
              "loss not announced",
              "Hold",
              "if (all != null) { all.lost(reason, steps); } return true;",
              "return true;"),
          mutant(
              "renewal answered as gone is ignored",
              "LeaseKeeper",
              "grant.queue.leases.lose(grant, Reason.GONE, steps);",
              "grant.renewAt = engine.clock.nanos() + grant.terms.ttlNanos() / 3;"),
          mutant(
              "longest life forgotten at a hand-over",
              "Leases",
              "queue.engine.keeper.attend(grant);",
              ""),
          mutant(
              "a lease forgets the attempts that may still land",
              "Grant",
              "this.from = from.mayLand() ? from : null;",
              "this.from = null;"),
          // ---- release and hand-over
          new Mutant(
              "a released handle releases its successor's lease",
              List.of(
                  new Patch(
                      "Hold",
                      "return ASKED.compareAndSet(this, 0, 1)",
                      "return ASKED.getAndSet(this, 1) >= 0"),
                  new Patch(
                      "Releaser",
                      "if (!hold.endReleased()) {",
                      "if (!hold.endReleased() && hold.isLost()) {")),
              ""),
          mutant(
              "token used again at a hand-over",
              "Grant",
              "return ++handOvers;",
              "return handOvers;"),
          mutant("hand-over in jeopardy", "Grant", "&& now - jeopardyAt() < 0", ""),
          mutant("hand-over after loss or in doubt", "Grant", "&& isValid(now) &&", "&&"),
          mutant(
              "hand-over without end, though others wait",
              "Grant",
              "&& !(wanted && now - wantedSince > queue.engine.handOverNanos)",
              ""),
          mutant(
              "hand-over on an old word that nobody waits",
              "Releaser",
              "} else if (grant.run != null || grant.isWanted() || grant.hasFreshWord(now)) {",
              "} else if (grant.number >= 0) {"),
          mutant(
              "release of what was gone reported as success",
              "Releaser",
              "} else if (!leaving.isTold() && answer == Release.NOT_HELD && !leaving.isReleased()) {",
              "} else if (answer == null) {"),
          // ---- runs
          mutant(
              "a run goes on to other terms",
              "Run",
              "if (!first.terms.runsOnTo(caller.terms)) { break; }",
              ""),
          mutant("a run serves one that gave up", "Run", "&& caller.outcome() == null", ""),
          mutant("a run without end", "Run", "|| now - began > LONGEST_NANOS", ""),
          mutant("a run of an old lease", "Run", "!grant.isSafe(now) ||", ""),
          mutant(
              "a release that does not name the served", "Run", "ids.add(next.ticket.id());", ""),
          mutant(
              "the served that are left behind",
              "Run",
              "each.settle(known || each.endedLate(), steps);",
              ""),
          // ---- fair callers that come together
          mutant(
              "a request for places that failed stays under way",
              "Arrivals",
              "underWay--; crowds",
              "underWay -= failed == null ? 1 : 0; crowds"),
          mutant(
              "those gathered are not asked for when the request before failed",
              "Arrivals",
              "ask(steps); late",
              "if (failed == null) { ask(steps); } late"),
          mutant(
              "requests of those that come together may not land late",
              "AttemptCall",
              "contender.ended(asking.contains(contender) ? failed : null, steps);",
              "contender.ended(null, steps);"),
          // ---- giving up
          mutant(
              "cancel does not give up the wait",
              "LockHandle",
              "future.whenComplete((lease, thrown) -> entered.giveUp(waiter, GiveUp.CANCEL));",
              "future;"),
          mutant(
              "ticket of a caller who gave up contends on",
              "NameQueue",
              "if (serving != null && !serves(serving)) { serving.abandon(steps); }",
              ""),
          mutant(
              "deadline of a waiter ignored",
              "NameQueue",
              "if (waiter.future != null && waiter.deadline.exists()) {",
              "if (waiter.future == null) {"),
          mutant(
              "unknown outcome forgotten",
              "Contender",
              "if (known || mayLand()) {",
              "if (known) {"),
          mutant(
              "place in the queue forgotten",
              "Contender",
              "if (known || mayLand()) {",
              "if (mayLand()) {"),
          mutant(
              "grant for an abandoned ticket kept",
              "Contender",
              "finish(); settle(answered, steps);",
              "finish();"),
          mutant(
              "busy answer to a repeated try forgets the first attempt",
              "Contender",
              "settle(false, steps); queue.foundBusy(this, call.sent(), steps);",
              "queue.foundBusy(this, call.sent(), steps);"),
          mutant(
              "a withdrawal without answer counts",
              "Limbo",
              "boolean known = failed == null && (complete || Boolean.TRUE.equals(isFinal));",
              "boolean known = complete || failed != null || Boolean.TRUE.equals(isFinal);"),
          mutant(
              "a withdrawal counts though an attempt is under way",
              "Limbo",
              "(complete || Boolean.TRUE.equals(isFinal))",
              "isFinal != null"),
          // ---- waiting
          mutant(
              "no attempt after the watch is armed",
              "Contender",
              "// The lease may have come free before the watch was armed: ask once more."
                  + " wake(steps);",
              ""),
          mutant(
              "a ticket that must wait is taken to be watched",
              "Contender",
              "armed |= watched;",
              "armed = true;"),
          mutant(
              "wake-up during an attempt dropped",
              "Contender",
              "case ASKING -> wokenMeanwhile = true;",
              "case ASKING -> {}"),
          new Mutant(
              "what is due is passed over while a batch is unanswered",
              List.of(
                  new Patch(
                      "Poller",
                      "postponed = true; timer.runIn(batchEnds - now, now); return Map.of();",
                      "takeDue(now); return Map.of();")),
              "whatCameDueIsPolledAtOnce"),
          mutant(
              "what is due before the others waits for them",
              "EarliestTimer",
              "return running != NEVER && due - running >= 0;",
              "return running != NEVER;"),
          mutant(
              "a request that is sent after another is never late",
              "StoreCalls",
              "timer.runIn(Math.max(LEAST_PAUSE_NANOS, next), now);",
              ""),
          mutant(
              "no poll",
              "Poller",
              "waiting.put(contender.ticket.id(), new Waiting(contender, interval, now + first));",
              ""),
          mutant(
              "reconnection ignored",
              "Contender",
              "void reconnected(Steps steps) { armed = false;",
              "void reconnected(Steps steps) { if (!armed || armed) { return; }"),
          mutant(
              "a try overtakes waiters",
              "NameQueue",
              "contender == null ? first != null && first.intent == Intent.QUEUE : contender.isToldToWait();",
              "false;"),
          mutant(
              "a silent start leaves no time to any later attempt",
              "StoreCalls",
              "return answered || left < LEAST_NANOS ? whole : Math.min(whole, left);",
              "return answered ? whole : Math.max(LEAST_NANOS, Math.min(whole, left));"),
          // ---- close
          mutant(
              "close releases nothing",
              "Leases",
              "steps.add(() -> queue.engine.calls.background(leaving));",
              ""),
          // ---- threads only
          threads(
              "interrupt does not withdraw",
              "interruptLeavesNothing",
              "LockHandle",
              "end = engine.giveUp(waiter, interrupted ? GiveUp.INTERRUPT : GiveUp.TIMEOUT);",
              "end = interrupted ? Waiter.Withdrawn.WITHDRAWN : engine.giveUp(waiter,"
                  + " GiveUp.TIMEOUT);"),
          threads(
              "interrupt swallowed",
              "interruptIsThrown",
              "Waiter",
              "boolean isToLeave = interruptible && Thread.currentThread().isInterrupted();",
              "boolean isToLeave = interruptible && Thread.interrupted();"),
          threads(
              "uninterruptible lock loses the flag",
              "uninterruptibleKeepsTheFlag",
              "Waiter",
              "if (interrupted) { Thread.currentThread().interrupt(); }",
              ""),
          threads(
              "a caller that hears no more is not watched for",
              "callersHear",
              "Contender",
              "if (phase != Phase.DONE && !armed) { queue.locked(this::keepArmed); }",
              ""),
          threads(
              "the ticket of a caller that heard is not watched for the next",
              "callersHear",
              "NameQueue",
              "if (serving != null && waiter.hears(serving)) { serving.keepArmed(steps); }",
              ""),
          threads(
              "a caller hears by a ticket that another may be granted by",
              "callersHear",
              "NameQueue",
              "&& Thread.currentThread().equals(waiter.thread)",
              ""));

  private EngineMutants() {}
}
