package io.leasehold.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import io.leasehold.benchmarks.runner.Mutex;
import java.sql.Connection;
import java.time.Duration;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What is compared on a database server. */
enum JdbcLibrary implements Library {
  /** Itself. */
  LEASE(Leasehold.class),

  /** Itself, by {@code mode=session}. */
  SESSION(Leasehold.class),

  /** With a pool, in which there is a connection for each thread that gets past its local lock. */
  SPRING(JdbcLockRegistry.class),

  /** With a pool, and the database's time. It does not wait. */
  SHEDLOCK(JdbcTemplateLockProvider.class),

  /** No library. */
  ADVISORY(Connection.class),

  /** No library. */
  NUMBERED(Connection.class),

  /** No library. */
  UPDATES(Connection.class),

  /** No library. */
  NOTIFY(Connection.class);

  private final Class<?> type;

  JdbcLibrary(Class<?> type) {
    this.type = type;
  }

  /** Whether the store knows {@code mode=session}: then it refuses another mode. */
  static boolean hasSessions() {
    try {
      Leasehold.connect("jdbc:postgresql://127.0.0.1:1/none?mode=none").close();
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    } catch (StoreException e) {
      return false;
    }
  }

  @Override
  public Class<?> type() {
    return type;
  }

  @Override
  public boolean isOurs() {
    return this == LEASE || this == SESSION;
  }

  @Override
  public Client connect(String url, Duration ttl) {
    return switch (this) {
      case LEASE -> LeaseholdClient.connect(url + "&ddl=create&table=bench", ttl);
      case SESSION -> LeaseholdClient.connect(url + "&ddl=create&table=bench&mode=session", ttl);
      case SPRING -> spring(url, ttl);
      case SHEDLOCK -> new ShedLock(new JdbcTemplate(pooled(url)), Database.of(url), ttl);
      case ADVISORY -> Floors.advisory(url);
      case NUMBERED -> Floors.numbered(url);
      case UPDATES -> Floors.updates(url);
      case NOTIFY -> new NotifyLock(new Statements(url));
    };
  }

  private static HikariDataSource pooled(String url) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    return new HikariDataSource(pool);
  }

  /** Its own table. Its transactions are of the isolation that it asks for by itself. */
  private static Client spring(String url, Duration ttl) {
    HikariDataSource source = pooled(url);
    new JdbcTemplate(source)
        .execute(
            """
        CREATE TABLE IF NOT EXISTS INT_LOCK(LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,
        CLIENT_ID CHAR(36), CREATED_DATE INSTANT NOT NULL, EXPIRED_AFTER INSTANT NOT NULL,
        constraint INT_LOCK_PK primary key (LOCK_KEY, REGION))
        """
                .replace("INSTANT", Database.of(url).timestamp(6)));
    DefaultLockRepository repository = new DefaultLockRepository(source);
    repository.setTransactionManager(new JdbcTransactionManager(source));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    JdbcLockRegistry registry = new JdbcLockRegistry(repository, ttl);
    return name -> Mutex.of(registry.obtain(name));
  }
}
