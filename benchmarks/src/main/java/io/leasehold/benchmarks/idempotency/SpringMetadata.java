package io.leasehold.benchmarks.idempotency;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.benchmarks.runner.Client;
import java.net.URI;
import java.util.UUID;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.metadata.ConcurrentMetadataStore;
import org.springframework.integration.redis.metadata.RedisMetadataStore;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Spring Integration's stores of keys: who puts a key first does the work, and then replaces it.
 */
final class SpringMetadata {
  private SpringMetadata() {}

  static Client.Once jdbc(String url) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    JdbcTemplate jdbc = new JdbcTemplate(new HikariDataSource(pool));
    jdbc.execute(
        """
        CREATE TABLE IF NOT EXISTS INT_METADATA_STORE(METADATA_KEY VARCHAR(255) NOT NULL,
        METADATA_VALUE VARCHAR(4000), REGION VARCHAR(100) NOT NULL,
        constraint INT_METADATA_STORE_PK primary key (METADATA_KEY, REGION))
        """);
    JdbcMetadataStore store = new JdbcMetadataStore(jdbc);
    store.afterPropertiesSet();
    store.start();
    return once(store);
  }

  static Client.Once redis(String url) {
    URI server = URI.create(url);
    LettuceConnectionFactory connections =
        new LettuceConnectionFactory(server.getHost(), server.getPort());
    connections.afterPropertiesSet();
    connections.start();
    return once(new RedisMetadataStore(connections));
  }

  private static Client.Once once(ConcurrentMetadataStore store) {
    return key -> {
      String claim = UUID.randomUUID().toString();
      if (store.putIfAbsent(key, claim) != null) {
        return false;
      }
      if (!store.replace(key, claim, "done")) {
        throw new IllegalStateException("the claim was gone");
      }
      return true;
    };
  }
}
