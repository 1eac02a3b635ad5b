package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.jdbc.Database;
import io.leasehold.benchmarks.jdbc.JdbcServer;
import io.leasehold.benchmarks.redis.RedisServers;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Suite;
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.List;

/** On one server. */
enum IdempotencySuite implements Suite {
  /** PostgreSQL. */
  POSTGRESQL,
  /** MySQL. */
  MYSQL,
  /** MariaDB. */
  MARIADB,
  /** Redis. */
  REDIS;

  @Override
  public Server start() {
    return this == REDIS
        ? RedisServers.start(RedisServer.Kind.REDIS_7_0)
        : JdbcServer.start(Database.valueOf(name()));
  }

  @Override
  public List<Scenario> scenarios() {
    return this == REDIS
        ? List.of(CallsScenario.counting("requests"))
        : List.of(
            CallsScenario.counting("statements"),
            RaisingScenario.ofWriters(),
            RaisingScenario.ofRows());
  }

  @Override
  public boolean isDrawn(Scenario scenario) {
    return RaisingScenario.is(scenario);
  }

  @Override
  public List<? extends Contender> contenders() {
    return List.of(IdempotencyContender.values());
  }

  @Override
  public Settings settings(Duration length) {
    return new Settings(length, Duration.ofSeconds(1), 200, 0, Duration.ofSeconds(30));
  }
}
