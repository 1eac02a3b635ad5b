package io.leasehold.testkit.simulation;

import static io.leasehold.testkit.simulation.Mutant.mutant;

import java.util.List;

/** Bugs in how a lease is handed along fair neighbours. */
final class RunMutants {
  static final List<Mutant> ALL =
      List.of(
          mutant(
              "the places of the served stay when the lease is lost",
              "Run",
              "each.settle(known || each.endedLate(), steps);",
              "each.settle(each.endedLate(), steps);"),
          mutant(
              "the served are not named at the release",
              "Releaser",
              "return grant.run == null || grant.run.served().isEmpty()",
              "return grant.run == null || within.toNanos() > 0"),
          mutant("a run goes on without end", "Run", "|| now - began > LONGEST_NANOS", ""),
          mutant(
              "a run goes on in doubt or in jeopardy",
              "Run",
              "return !grant.isSafe(now) || now",
              "return now"),
          mutant(
              "a run serves whatever the next one wants",
              "Run",
              "|| !grant.terms.runsOnTo(caller.terms)",
              ""),
          mutant(
              "a run serves the last first",
              "Run",
              "this.behind = behind.iterator();",
              "this.behind = behind.stream().sorted(java.util.Comparator.comparing(LeaseId::sequence)"
                  + ".reversed()).iterator();"),
          mutant(
              "one that is served by a run contends on",
              "Contender",
              "servedBy = grant; leave();",
              "servedBy = grant;"),
          mutant(
              "a run forgets the attempts of the served",
              "Run",
              "each.settle(known || each.endedLate(), steps);",
              "if (known) { each.settle(true, steps); }"));

  private RunMutants() {}
}
