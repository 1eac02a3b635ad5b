package io.leasehold.peers;

import io.leasehold.LockOptions;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ClientSettings;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration on H2, with its own table. The ttl is that of its registry. */
final class SpringJdbcFixture extends PeerFixture {
  SpringJdbcFixture() {
    super(Server::h2, Set.of(Ability.WAIT), SpringMutex.EXCLUDED);
  }

  @Override
  PeerClient connect(Wire wire, ClientSettings settings) {
    JdbcTemplate jdbc = Databases.behind(wire, server(), settings);
    jdbc.execute(
        """
        CREATE TABLE IF NOT EXISTS INT_LOCK(LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,
        CLIENT_ID CHAR(36), CREATED_DATE TIMESTAMP NOT NULL, EXPIRED_AFTER TIMESTAMP NOT NULL,
        constraint INT_LOCK_PK primary key (LOCK_KEY, REGION))
        """);
    DataSource database = jdbc.getDataSource();
    DefaultLockRepository repository = new DefaultLockRepository(database);
    repository.setTransactionManager(new JdbcTransactionManager(database));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    return new Client(
        wire,
        repository,
        new JdbcLockRegistry(repository, settings.ttl().orElse(JdbcLockRegistry.DEFAULT_TTL)));
  }

  private static final class Client extends PeerClient {
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    Client(Wire wire, DefaultLockRepository repository, JdbcLockRegistry registry) {
      super(wire);
      this.repository = repository;
      this.registry = registry;
    }

    @Override
    Mutex mutex(String name, LockOptions options) {
      DistributedLock lock = registry.obtain(name);
      return new SpringMutex(lock, options);
    }

    /** Removes its own locks from the table. */
    @Override
    void shutdown() {
      repository.close();
    }
  }
}
