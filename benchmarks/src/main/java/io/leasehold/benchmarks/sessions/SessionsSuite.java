package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Suite;
import java.time.Duration;
import java.util.List;

/** On one kind of server. */
enum SessionsSuite implements Suite {
  /** ZooKeeper. */
  ZOOKEEPER,
  /** An etcd. */
  ETCD,
  /** Consul. */
  CONSUL;

  @Override
  public Server start() {
    return switch (this) {
      case ZOOKEEPER -> SessionsServers.zooKeeper();
      case ETCD -> SessionsServers.etcd();
      case CONSUL -> SessionsServers.consul();
    };
  }

  @Override
  public List<Scenario> scenarios() {
    return switch (this) {
      case ZOOKEEPER -> SessionsScenarios.ofZooKeeper();
      case ETCD -> SessionsScenarios.ofEtcd();
      case CONSUL -> SessionsScenarios.ofConsul();
    };
  }

  @Override
  public List<SessionsContender> contenders() {
    return scenarios().stream()
        .flatMap(scenario -> scenario.contenders().stream())
        .distinct()
        .map(SessionsContender.class::cast)
        .toList();
  }

  /** A pair takes a millisecond or more. Consul takes no ttl below 10 s. */
  @Override
  public Settings settings(Duration length) {
    Duration heldTtl = Duration.ofSeconds(this == CONSUL ? 12 : 6);
    return new Settings(length, Duration.ofSeconds(10), 500, 2000, heldTtl);
  }
}
