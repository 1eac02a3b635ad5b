package io.leasehold.peers;

import io.leasehold.LockOptions;
import io.leasehold.testkit.contract.ClientSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock on H2, with the table and with the database's time, as its page has it. The ttl is
 * lockAtMostFor; lockAtLeastFor is zero. Its KeepAliveLockProvider renews leases of 30 s and more,
 * too long for these tests.
 */
final class ShedLockFixture extends PeerFixture {
  private static final String LENGTH = "its table has names of 64 characters at most";

  ShedLockFixture() {
    super(
        Server::h2,
        Set.of(),
        Map.of(
            "R13_hostileNamesDoNotCollide", LENGTH,
            "R13_aHostileNameCanBeWaitedFor", LENGTH,
            "R13_whatIsNoNameIsRefused", LENGTH));
  }

  @Override
  PeerClient connect(Wire wire, ClientSettings settings) {
    JdbcTemplate jdbc = Databases.behind(wire, server(), settings);
    jdbc.execute(
        """
        CREATE TABLE IF NOT EXISTS shedlock(name VARCHAR(64) NOT NULL, lock_until TIMESTAMP NOT NULL,
        locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
        """);
    LockProvider provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(jdbc)
                .usingDbTime()
                .build());
    return new Client(wire, provider, settings.ttl().orElse(Duration.ofMinutes(1)));
  }

  private static final class Client extends PeerClient {
    private final LockProvider provider;
    private final Duration ttl;

    Client(Wire wire, LockProvider provider, Duration ttl) {
      super(wire);
      this.provider = provider;
      this.ttl = ttl;
    }

    @Override
    Mutex mutex(String name, LockOptions options) {
      return new OneRun(provider, name, options.ttl().orElse(ttl));
    }

    @Override
    void shutdown() {
      // A provider has nothing to end.
    }
  }

  private static final class OneRun implements Mutex {
    private final LockProvider provider;
    private final String name;
    private final Duration atMost;
    private Optional<SimpleLock> lock = Optional.empty();

    OneRun(LockProvider provider, String name, Duration atMost) {
      this.provider = provider;
      this.name = name;
      this.atMost = atMost;
    }

    @Override
    public boolean tryLock() {
      lock = provider.lock(new LockConfiguration(Instant.now(), name, atMost, Duration.ZERO));
      return lock.isPresent();
    }

    @Override
    public void unlock() {
      lock.orElseThrow().unlock();
    }

    @Override
    public boolean isReentrant() {
      return false;
    }
  }
}
