package io.leasehold.benchmarks.sessions;

import static io.leasehold.benchmarks.sessions.SessionsContender.CURATOR;
import static io.leasehold.benchmarks.sessions.SessionsContender.HTTP;
import static io.leasehold.benchmarks.sessions.SessionsContender.HTTP_RETRY;
import static io.leasehold.benchmarks.sessions.SessionsContender.JETCD;
import static io.leasehold.benchmarks.sessions.SessionsContender.JETCD_OWN;
import static io.leasehold.benchmarks.sessions.SessionsContender.LEASEHOLD;
import static io.leasehold.benchmarks.sessions.SessionsContender.NODES;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Measurings;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Stage.Shape;
import io.leasehold.benchmarks.runner.Target;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What is measured, and the targets. */
final class SessionsScenarios {
  private static final Measure REQUESTS = new Measure("requests", "");
  private static final Duration SHORT = Duration.ofMillis(20);

  /** In a period: a beat, and 40 reads. */
  private static final Target RENEWALS = Target.atMost(LEASEHOLD, "requests", 41);

  /** Three, and beats that may come between any two of 500 pairs. */
  private static final double THREE_AND_BEATS = 3.02;

  private SessionsScenarios() {}

  static List<Scenario> ofZooKeeper() {
    List<Contender> both = List.of(LEASEHOLD, CURATOR);
    List<Contender> all = List.of(LEASEHOLD, CURATOR, NODES);
    Duration[] waits = {SHORT, Duration.ofMillis(500), Duration.ofSeconds(5)};
    return List.of(
        pair(
            all,
            Target.atMost(LEASEHOLD, "requests", THREE_AND_BEATS),
            Target.atMost(LEASEHOLD, "median", 0.92).times(CURATOR).aim(0.85)),
        oneProcess(both, Target.atLeast(LEASEHOLD, "rate", 10).times(CURATOR).aim(25)),
        processes(both, Target.atLeast(LEASEHOLD, "rate", 5).times(CURATOR).aim(10)),
        handOver(
            all,
            waits,
            Stream.of(waits)
                .map(Measurings::handOverAfter)
                .map(each -> Target.atMost(LEASEHOLD, each, 0.85).times(CURATOR).aim(0.75))
                .toArray(Target[]::new)),
        held(both));
  }

  static List<Scenario> ofEtcd() {
    List<Contender> all = List.of(LEASEHOLD, JETCD, JETCD_OWN);
    return List.of(
        pair(
            all,
            Target.atMost(LEASEHOLD, "median", 1.05).times(JETCD).aim(0.9),
            Target.atMost(LEASEHOLD, "median", 0.5).times(JETCD_OWN)),
        oneProcess(all, Target.atLeast(LEASEHOLD, "rate", 10).times(JETCD).aim(25)),
        processes(all),
        handOver(all, new Duration[] {SHORT}),
        held(List.of(LEASEHOLD, JETCD)));
  }

  static List<Scenario> ofConsul() {
    List<Contender> who = List.of(LEASEHOLD, HTTP_RETRY);
    return List.of(
        pair(
            List.of(LEASEHOLD, HTTP), Target.atMost(LEASEHOLD, "median", 1.1).times(HTTP).aim(1.0)),
        oneProcess(who, Target.atLeast(LEASEHOLD, "rate", 20).times(HTTP_RETRY).aim(40)),
        processes(who),
        handOver(who, new Duration[] {SHORT}),
        held(List.of(LEASEHOLD)));
  }

  private static Scenario pair(List<Contender> who, Target... targets) {
    return new Scenario(
        "pair",
        "uncontended lock and unlock",
        List.of(REQUESTS, new Measure("median", "us")),
        who,
        Measurings.pair(),
        List.of(targets));
  }

  private static Scenario oneProcess(List<Contender> who, Target... targets) {
    return contended(
        "one-process",
        "32 threads of one process, one name",
        new Shape(1, 32, 1, Duration.ZERO),
        who,
        targets);
  }

  private static Scenario processes(List<Contender> who, Target... targets) {
    return contended(
        "processes",
        "4 processes x 8 threads, one name",
        new Shape(4, 8, 1, Duration.ZERO),
        who,
        targets);
  }

  private static Scenario contended(
      String name, String title, Shape shape, List<Contender> who, Target... targets) {
    return new Scenario(
        name,
        title,
        List.of(
            new Measure("rate", "/s"),
            new Measure("p99 wait", "ms"),
            new Measure("min/max per thread", "")),
        who,
        Measurings.contended(shape),
        List.of(targets));
  }

  private static Scenario handOver(List<Contender> who, Duration[] waits, Target... targets) {
    return new Scenario(
        "hand-over",
        "hand-over between two processes, p50",
        Stream.of(waits).map(each -> new Measure(Measurings.handOverAfter(each), "ms")).toList(),
        who,
        Measurings.handOvers(waits),
        List.of(targets));
  }

  private static Scenario held(List<Contender> who) {
    return new Scenario(
        "held",
        "2,000 held leases, in a third of the ttl",
        List.of(REQUESTS, new Measure("threads", ""), new Measure("heap per lease", "B")),
        who,
        Measurings.held(),
        List.of(RENEWALS));
  }
}
