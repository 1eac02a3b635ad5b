package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.simulation.PatchedEngine.Patch;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Proof that the simulation bites: the engine with one bug each, which must be found. Every mutant
 * is a patch of the engine's source; if the source has changed so that the patch no longer fits,
 * this test says so, and the patch must follow.
 */
class EngineMutantsTest {
  private static final long MOST_SEEDS = Long.getLong("leasehold.mutants.seeds", 15_000);
  private static final String ONLY = System.getProperty("leasehold.mutant", "");

  /** One bug. */
  private record Mutant(String bug, List<Patch> patches, String probe) {}

  private static Mutant mutant(String bug, String file, String search, String replacement) {
    return new Mutant(bug, List.of(new Patch(file, search, replacement)), "");
  }

  private static Mutant threads(
      String bug, String probe, String file, String search, String replacement) {
    return new Mutant(bug, List.of(new Patch(file, search, replacement)), probe);
  }

  private static final String KEEPER_LETS_GO =
      "// Renewal ends before the release is sent, so that none can outlive it."
          + " engine.keeper.remove(grant);";

  private static final List<Mutant> MUTANTS =
      List.of(
          // ---- validity
          mutant(
              "validity of a grant counted from the reply",
              "AttemptCall",
              "return Validity.of(sent, sentWall, granted.remaining());",
              "return Validity.of(engine.clock.nanos(), sentWall, granted.remaining());"),
          mutant(
              "validity of a renewal counted from the reply",
              "LeaseKeeper",
              "Validity.of(sent, sentWall, answer.remaining())",
              "Validity.of(engine.clock.nanos(), sentWall, answer.remaining())"),
          mutant(
              "validity from the ttl asked for, not the remaining life",
              "AttemptCall",
              "return Validity.of(sent, sentWall, granted.remaining());",
              "return Validity.of(sent, sentWall, contender.ticket.ttl());"),
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
              "Validity.of(sent, sentWall, answer.remaining())",
              "Validity.of(sent, engine.clock.wallMillis(), answer.remaining())"),
          // ---- renewal and loss
          mutant(
              "no renewal",
              "LeaseKeeper",
              "grant.renewAt = now + grant.terms.ttlNanos() / 6 + early; return true;",
              "return false;"),
          new Mutant(
              "renewal goes on after the release",
              List.of(
                  new Patch(
                      "LeaseKeeper",
                      "return grant.phase == Phase.HELD || grant.phase == Phase.REFRESHING;",
                      "return grant.phase != Phase.ENDED;"),
                  new Patch("Releaser", KEEPER_LETS_GO, "")),
              ""),
          mutant("lease not let go by the keeper", "Releaser", KEEPER_LETS_GO, ""),
          mutant(
              "kept on the terms of the caller who began to contend",
              "Contention",
              "new Grant(queue, c, waiter.terms, granted, validity)",
              "new Grant(queue, c, c.terms, granted, validity)"),
          mutant(
              "loss not announced",
              "Hold",
              "for (Runnable callback : callbacks) {",
              "for (Runnable callback : new ArrayList<Runnable>()) {"),
          mutant(
              "renewal answered as gone is ignored",
              "LeaseKeeper",
              "grant.queue.leases.lose(grant, Reason.GONE, steps);",
              "grant.renewAt = engine.clock.nanos() + grant.terms.ttlNanos() / 3;"),
          mutant(
              "longest life forgotten at a hand-over",
              "Leases",
              "engine.keeper.attend(grant);",
              ""),
          // ---- release and hand-over
          new Mutant(
              "a released handle releases its successor's lease",
              List.of(
                  new Patch(
                      "Hold",
                      "return !asked && ASKED.compareAndSet(this, false, true)",
                      "return !asked || ASKED.compareAndSet(this, true, true)"),
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
              "&& !(wanted && now - wantedSince > handOverNanos)",
              ""),
          mutant(
              "hand-over on an old word that nobody waits",
              "Releaser",
              "} else if (grant.isWanted() || grant.hasFreshWord(now)) {",
              "} else if (grant.number >= 0) {"),
          mutant(
              "release of what was gone reported as success",
              "Releaser",
              "} else if (answer == Release.NOT_HELD) {",
              "} else if (answer == null) {"),
          // ---- giving up
          mutant(
              "cancel does not give up the wait",
              "LockHandle",
              "future.whenComplete((lease, thrown) -> queue.giveUp(waiter, GiveUp.CANCEL));",
              "future;"),
          mutant(
              "ticket of a caller who gave up contends on",
              "NameQueue",
              "if (serving != null && !contention.servesAnybody(serving)) { serving.abandon(steps); }",
              ""),
          mutant(
              "deadline of a waiter ignored",
              "NameQueue",
              "if (waiter.future != null && waiter.deadline.exists()) {",
              "if (waiter.future == null) {"),
          mutant(
              "unknown outcome forgotten",
              "Contender",
              "if (known || attempts.mayLand()) {",
              "if (known) {"),
          mutant(
              "place in the queue forgotten",
              "Contender",
              "if (known || attempts.mayLand()) {",
              "if (attempts.mayLand()) {"),
          mutant(
              "grant for an abandoned ticket kept",
              "Contender",
              "finish(); settle(answered, steps);",
              "finish();"),
          mutant(
              "busy answer to a repeated try forgets the first attempt",
              "Contender",
              "settle(false, steps); queue.contention.foundBusy(this, steps);",
              "queue.contention.foundBusy(this, steps);"),
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
                  + " ask(steps);",
              "phase = Phase.WAITING; engine.poller.add(this, Duration.ZERO);"),
          mutant(
              "wake-up during an attempt dropped",
              "Contender",
              "case ASKING, ARMING -> wokenMeanwhile = true;",
              "case ASKING, ARMING -> {}"),
          mutant("no poll", "Poller", "waiting.put(contender.ticket.id(), contender);", ""),
          mutant(
              "reconnection ignored",
              "Contender",
              "void reconnected(Steps steps) { armed = false;",
              "void reconnected(Steps steps) { if (!armed || armed) { return; }"),
          mutant(
              "a try overtakes waiters",
              "Contention",
              "return leases.current() != null || !callers.isEmpty() || !separate.isEmpty();",
              "return leases.current() != null || contender != null;"),
          mutant(
              "a silent start leaves no time to any later attempt",
              "Budget",
              "return answered || left < LEAST_NANOS ? whole : Math.min(whole, left);",
              "return answered ? whole : Math.max(LEAST_NANOS, Math.min(whole, left));"),
          // ---- close
          mutant(
              "close releases nothing",
              "Leases",
              "steps.add(() -> engine.dispatch.background(hold::releaseUnwatched));",
              ""),
          // ---- threads only
          threads(
              "interrupt does not withdraw",
              "interruptLeavesNothing",
              "LockHandle",
              "end = queue.giveUp(waiter, interrupted ? GiveUp.INTERRUPT : GiveUp.TIMEOUT);",
              "end = interrupted ? Waiter.Outcome.WITHDRAWN : queue.giveUp(waiter,"
                  + " GiveUp.TIMEOUT);"),
          threads(
              "interrupt swallowed",
              "interruptIsThrown",
              "Waiter",
              "if (interruptible && Thread.currentThread().isInterrupted()) {",
              "if (interruptible && Thread.interrupted()) {"),
          threads(
              "uninterruptible lock loses the flag",
              "uninterruptibleKeepsTheFlag",
              "Waiter",
              "if (interrupted) { Thread.currentThread().interrupt(); }",
              ""));

  private static final Logger LOG = Logger.getLogger("io.leasehold");

  private static final Map<String, String> TABLE = Collections.synchronizedMap(new TreeMap<>());

  @BeforeAll
  static void silenceTheEngine() {
    LOG.setLevel(Level.OFF);
  }

  @Test
  void everyMutantIsCaught() {
    List<String> problems =
        MUTANTS.parallelStream()
            .filter(m -> m.bug().contains(ONLY))
            .map(EngineMutantsTest::problem)
            .filter(problem -> !problem.isEmpty())
            .collect(Collectors.toList());
    assertThat(problems).as("mutants that nobody noticed, or that do not fit the source").isEmpty();
  }

  /** The harness itself changes nothing. */
  @Test
  void theUnchangedEngineIsNotCaught() {
    try (PatchedEngine engine = PatchedEngine.unchanged()) {
      assertThat(engine.firstViolation(1, 200)).isEmpty();
      for (String probe :
          List.of("interruptLeavesNothing", "interruptIsThrown", "uninterruptibleKeepsTheFlag")) {
        assertThat(engine.probe(probe)).as(probe).isEmpty();
      }
    }
  }

  private static String problem(Mutant mutant) {
    String caught;
    try {
      caught = caught(mutant);
    } catch (AssertionError e) {
      TABLE.put(mutant.bug(), "does not fit the source");
      return mutant.bug() + ": " + e.getMessage();
    }
    TABLE.put(mutant.bug(), caught.isEmpty() ? "SURVIVED" : caught);
    return caught.isEmpty() ? mutant.bug() + ": survived" : "";
  }

  /** By which check, at which seed; empty if by none. */
  private static String caught(Mutant mutant) {
    try (PatchedEngine engine = PatchedEngine.with(mutant.patches())) {
      if (!mutant.probe().isEmpty()) {
        return engine.probe(mutant.probe()).isEmpty() ? "" : mutant.probe();
      }
      List<String> violation = engine.firstViolation(1, MOST_SEEDS);
      return violation.isEmpty()
          ? ""
          : String.format(Locale.ROOT, "%-18s seed %5s", violation.get(0), violation.get(1));
    }
  }

  @AfterAll
  static void printTheTable() {
    LOG.setLevel(null);
    TABLE.forEach(
        (bug, caught) -> System.out.printf(Locale.ROOT, "mutant %-58s %s%n", bug, caught));
  }
}
