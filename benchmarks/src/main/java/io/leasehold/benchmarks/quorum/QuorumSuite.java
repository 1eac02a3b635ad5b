package io.leasehold.benchmarks.quorum;

import static io.leasehold.benchmarks.quorum.QuorumContender.QUORUM;
import static io.leasehold.benchmarks.quorum.QuorumContender.QUORUM_LETTUCE;
import static io.leasehold.benchmarks.quorum.QuorumContender.REDISSON;
import static io.leasehold.benchmarks.quorum.QuorumContender.SINGLE;
import static io.leasehold.benchmarks.quorum.QuorumContender.SINGLE_LETTUCE;
import static io.leasehold.benchmarks.quorum.QuorumContender.SOCKET;
import static io.leasehold.benchmarks.quorum.QuorumContender.SOCKETS;

import io.leasehold.benchmarks.runner.Measurings;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Stage.Shape;
import io.leasehold.benchmarks.runner.Suite;
import io.leasehold.benchmarks.runner.Target;
import java.time.Duration;
import java.util.List;

/** The quorum, beside a single server with the same client. */
enum QuorumSuite implements Suite {
  /** Three of one kind. */
  REDIS;

  @Override
  public Server start() {
    return QuorumServers.start();
  }

  @Override
  public List<Scenario> scenarios() {
    return List.of(
        new Scenario(
            "pair",
            "uncontended lock and unlock",
            List.of(new Measure("requests", ""), new Measure("median", "us")),
            List.of(QUORUM, SINGLE, QUORUM_LETTUCE, SINGLE_LETTUCE, REDISSON, SOCKETS, SOCKET),
            Measurings.pair(),
            List.of(
                Target.atMost(QUORUM, "requests", 6),
                Target.atMost(QUORUM, "median", 1.5).times(SINGLE),
                Target.atMost(QUORUM_LETTUCE, "median", 1.5).times(SINGLE_LETTUCE))),
        new Scenario(
            "processes",
            "4 processes x 8 threads, one name",
            List.of(
                new Measure("rate", "/s"),
                new Measure("p99 wait", "ms"),
                new Measure("min/max per thread", "")),
            List.of(QUORUM, SINGLE, QUORUM_LETTUCE, SINGLE_LETTUCE, REDISSON),
            Measurings.contended(new Shape(4, 8, 1, Duration.ZERO)),
            List.of()));
  }

  @Override
  public List<QuorumContender> contenders() {
    return List.of(QuorumContender.values());
  }

  @Override
  public Settings settings(Duration length) {
    return new Settings(length, Duration.ofSeconds(10), 500, 2000, Duration.ofSeconds(6));
  }
}
