package io.leasehold.spring.autoconfigure;

import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spring.IdempotencyTables;
import io.lettuce.core.RedisClient;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Where results are kept.
 *
 * @param store its store
 * @param tables if it is a database of the application
 * @param end what to end after the store
 */
record IdempotencyPlace(IdempotencyStore store, Optional<IdempotencyTables> tables, Runnable end)
    implements AutoCloseable {
  private static final String CLUSTER = "a Redis cluster";

  static IdempotencyPlace at(String url) {
    return new IdempotencyPlace(IdempotencyStores.open(url), Optional.empty(), () -> {});
  }

  static IdempotencyPlace in(IdempotencyTables tables) {
    return new IdempotencyPlace(
        IdempotencyStores.using(tables.pool(), tables.prefix(), tables.create()),
        Optional.of(tables),
        () -> {});
  }

  /** In a bean that locks can be kept in. */
  static IdempotencyPlace in(
      StoreChoice.Candidate chosen, Object bean, LeaseholdProperties settings) {
    Optional<String> prefix = Optional.ofNullable(settings.prefix());
    if (bean instanceof DataSource pool) {
      return in(new IdempotencyTables(pool, prefix.orElse("leasehold"), settings.createTables()));
    }
    if (chosen.kind() instanceof LettuceFactoryStores) {
      return Lettuce.in(bean, prefix.orElse("leasehold:"));
    }
    if (chosen.kind() instanceof JedisFactoryStores) {
      return Jedis.in(bean, prefix.orElse("leasehold:"));
    }
    throw refused(chosen.kind().what());
  }

  private static LeaseholdSettingsException refused(String place) {
    return new LeaseholdSettingsException(
        "results of @Idempotent and the HTTP filter cannot be kept in " + place,
        "Define a bean of type IdempotencyTables, or Idempotency.");
  }

  @Override
  public void close() {
    end.run();
  }

  /** Apart, since an application may have no Redis. */
  private static final class Lettuce {
    static IdempotencyPlace in(Object bean, String prefix) {
      LettuceConnectionFactory factory = (LettuceConnectionFactory) bean;
      if (factory.isClusterAware()) {
        throw refused(CLUSTER);
      }
      RedisClient ours = LettuceFactoryStores.client(factory);
      return new IdempotencyPlace(
          IdempotencyStores.usingLettuce(ours, prefix),
          Optional.empty(),
          () -> LettuceFactoryStores.end(ours));
    }
  }

  /** Likewise. */
  private static final class Jedis {
    static IdempotencyPlace in(Object bean, String prefix) {
      JedisConnectionFactory factory = (JedisConnectionFactory) bean;
      if (factory.isRedisClusterAware()) {
        throw refused(CLUSTER);
      }
      return new IdempotencyPlace(
          IdempotencyStores.at(JedisFactoryStores.address(factory), prefix),
          Optional.empty(),
          () -> {});
    }
  }
}
