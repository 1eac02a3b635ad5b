package io.leasehold.testkit.simulation;

import static io.leasehold.testkit.simulation.Mutant.mutant;

import java.util.List;

/** Bugs in what the engine does for readers, permits, and several locks as one. */
final class ModeMutants {
  static final List<Mutant> ALL =
      List.of(
          // ---- readers
          mutant(
              "a reader joins on an old word that nobody waits",
              "Leases",
              "if (grant.hasFreshWord(now)) { giveOn",
              "if (grant.number >= 0) { giveOn"),
          mutant("a reader joins though others wait", "Leases", "&& !grant.isWanted()", ""),
          mutant(
              "a reader joins a lease that is being let go",
              "Leases",
              "&& grant.phase == Phase.HELD && grant.terms.handsOverTo",
              "&& grant.terms.handsOverTo"),
          mutant(
              "a writer joins a writer",
              "Leases",
              "return grant.ticket.mode() == LockMode.SHARED && grant.phase",
              "return grant.phase"),
          mutant(
              "ticket of a reader who joined contends on",
              "NameQueue",
              "if (contender != null && !serves(contender)) {",
              "if (contender != null && first == null && !serves(contender)) {"),
          mutant(
              "an older lease stands beside a newer one",
              "Leases",
              "if (other.number != grant.number && (alone || otherAlone)) {",
              "if (other.number < 0) {"),
          mutant(
              "the longest life of one reader ends all",
              "Leases",
              "if (grant.holds().size() == 1) {",
              "if (!grant.holds().isEmpty()) {"),
          mutant(
              "the first reader to leave lets go for all",
              "Releaser",
              "if (grant.isHeld()) {",
              "if (grant.number < 0) {"),
          mutant("longest life of one who left counts on", "Grant", "longestLife = earliest;", ""),
          mutant(
              "longest life of one who comes does not count",
              "Grant",
              "longestLife = Deadline.earlier(longestLife, hold.longestLife());",
              ""),
          // ---- permits, and several kinds
          mutant(
              "a lease of other permits is handed over",
              "Terms",
              "&& permits == other.permits && limit == other.limit && ttl",
              "&& limit == other.limit && ttl"),
          mutant(
              "a ticket contends for another mode",
              "Terms",
              "return mode == other.mode && permits",
              "return permits"),
          mutant(
              "a try overtakes one that was told to wait",
              "NameQueue",
              "return writing || waiting || anySeparate",
              "return writing || anySeparate"),
          mutant(
              "a try for a share waits in the queue",
              "NameQueue",
              "} else if (callers.isEmpty()) {",
              "} else if (callers.size() >= 0) {"),
          mutant(
              "another kind in one process is let in",
              "Terms",
              "return both && limit == other.limit;",
              "return both || limit >= 0;"),
          mutant(
              "another kind at the store is waited for",
              "Contender",
              "abandon(steps); queue.foundOtherKind(this, kind, steps);",
              "busy(call, \"\", Duration.ZERO, false, steps);"),
          // ---- several locks as one
          mutant(
              "one that begins again keeps what it had",
              "MultiAcquisition",
              "CompletableFuture<Void> unused = letGo(steps); next(steps);",
              "held = new ArrayList<>(); next(steps);"),
          mutant(
              "one that begins again keeps waiting for the next",
              "MultiAcquisition",
              "forgetAsked(steps); CompletableFuture<Void> unused = letGo(steps); next(steps);",
              "CompletableFuture<Void> unused = letGo(steps); next(steps);"),
          mutant(
              "granted though one of them is lost",
              "MultiAcquisition",
              "if (!held.stream().allMatch(Lease::isHeld)) {",
              "if (round < 0) {"),
          mutant(
              "a cancelled one keeps what it had",
              "MultiAcquisition",
              "ended = true; forgetAsked(steps); CompletableFuture<Void> unused = letGo(steps); }",
              "ended = true; forgetAsked(steps); }"),
          mutant(
              "a deadline for none of several",
              "MultiAcquisition",
              "part.begin( deadline, once",
              "part.begin( Deadline.NONE, once"),
          mutant(
              "a try for several waits",
              "MultiAcquisition",
              "once ? Intent.TRY : Intent.QUEUE",
              "Intent.QUEUE"),
          mutant(
              "several taken in the order of their naming",
              "MultiHandle",
              "Arrays.compareUnsigned( a.getBytes(StandardCharsets.UTF_8),"
                  + " b.getBytes(StandardCharsets.UTF_8))",
              "Arrays.compareUnsigned(new byte[0], new byte[0])"),
          mutant(
              "the first of several is not released", "MultiHandle", "i >= 0; i--", "i > 0; i--"));

  private ModeMutants() {}
}
