package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with its own table. */
final class ShedLock implements Client {
  private final LockProvider provider;
  private final Duration ttl;

  ShedLock(JdbcTemplate jdbc, Database database, Duration ttl) {
    jdbc.execute(
        """
        CREATE TABLE IF NOT EXISTS shedlock(name VARCHAR(64) NOT NULL, lock_until INSTANT NOT NULL,
        locked_at INSTANT NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
        """
            .replace("INSTANT", database.timestamp(3)));
    this.provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(jdbc)
                .usingDbTime()
                .build());
    this.ttl = ttl;
  }

  /** For one thread. */
  @Override
  public Mutex mutex(String name) {
    return new Mutex() {
      private Optional<SimpleLock> held = Optional.empty();

      @Override
      public void lock() {
        // Its clock is the database's; this instant is not looked at.
        held = provider.lock(new LockConfiguration(Instant.EPOCH, name, ttl, Duration.ZERO));
        if (held.isEmpty()) {
          throw new IllegalStateException("another process has it, and this does not wait");
        }
      }

      @Override
      public void unlock() {
        held.orElseThrow().unlock();
      }
    };
  }
}
