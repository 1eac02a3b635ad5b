package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Suite;
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.List;

/**
 * On Redis.
 *
 * @param kind which
 */
record RedisSuite(RedisServer.Kind kind) implements Suite {
  @Override
  public String name() {
    return kind.name();
  }

  @Override
  public Server start() {
    return RedisServers.start(kind);
  }

  @Override
  public List<Scenario> scenarios() {
    return RedisScenarios.all();
  }

  @Override
  public List<? extends Contender> contenders() {
    return List.of(RedisContender.values());
  }

  @Override
  public Settings settings(Duration length) {
    return new Settings(length, Duration.ofSeconds(1), 500, 20_000, Duration.ofSeconds(6));
  }
}
