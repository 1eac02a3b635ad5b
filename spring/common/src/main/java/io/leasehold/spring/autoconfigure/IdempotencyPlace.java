package io.leasehold.spring.autoconfigure;

import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spring.IdempotencyTables;
import io.lettuce.core.RedisClient;
import java.util.Optional;
import javax.sql.DataSource;
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
    throw new LeaseholdSettingsException(
        "results of @Idempotent and the HTTP filter cannot be kept in " + chosen.kind().what(),
        "Define a bean of type IdempotencyTables, or Idempotency.");
  }

  @Override
  public void close() {
    end.run();
  }

  /** Apart, since an application may have no Redis. */
  private static final class Lettuce {
    static IdempotencyPlace in(Object factory, String prefix) {
      RedisClient ours = LettuceFactoryStores.client((LettuceConnectionFactory) factory);
      return new IdempotencyPlace(
          IdempotencyStores.usingLettuce(ours, prefix),
          Optional.empty(),
          () -> LettuceFactoryStores.end(ours));
    }
  }
}
