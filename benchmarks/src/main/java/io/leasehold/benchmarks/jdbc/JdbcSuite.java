package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.Scenario;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.runner.Settings;
import io.leasehold.benchmarks.runner.Suite;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * On one database server.
 *
 * @param database which
 * @param hasSessions whether the store has locks of sessions
 */
record JdbcSuite(Database database, boolean hasSessions) implements Suite {
  @Override
  public String name() {
    return database.name();
  }

  @Override
  public Server start() {
    return JdbcServer.start(database);
  }

  @Override
  public List<Scenario> scenarios() {
    return JdbcScenarios.of(database);
  }

  @Override
  public List<? extends Contender> contenders() {
    return Stream.of(JdbcContender.values())
        .filter(each -> hasSessions || each != JdbcContender.SESSION)
        .toList();
  }

  @Override
  public Settings settings(Duration length) {
    return new Settings(length, Duration.ofSeconds(1), 100, 10_000, Duration.ofSeconds(6));
  }
}
