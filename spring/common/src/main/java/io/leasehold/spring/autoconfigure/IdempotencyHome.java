package io.leasehold.spring.autoconfigure;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.spring.IdempotencyTables;
import io.leasehold.spring.IdempotentCodecs;
import io.leasehold.spring.IdempotentHome;
import java.time.Duration;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds what {@code @Idempotent} needs among the beans, when it needs it. */
record IdempotencyHome(ConfigurableListableBeanFactory beans) implements IdempotentHome {
  @Override
  public Idempotency idempotency() {
    return beans.getBean(Idempotency.class);
  }

  @Override
  public Optional<IdempotencyTables> tables() {
    IdempotencyTables given = beans.getBeanProvider(IdempotencyTables.class).getIfUnique();
    return given != null
        ? Optional.of(given)
        : beans.getBeanProvider(IdempotencyPlace.class).stream()
            .findFirst()
            .flatMap(IdempotencyPlace::tables);
  }

  @Override
  public Duration keep() {
    return beans.getBean(IdempotencyProperties.class).keep();
  }

  @Override
  public IdempotentCodecs codecs() {
    IdempotentCodecs codecs = beans.getBeanProvider(IdempotentCodecs.class).getIfUnique();
    if (codecs == null) {
      throw new IllegalArgumentException(
          "its result cannot be written: there is no bean of a Jackson mapper (add Spring Boot's"
              + " starter for JSON), and none of type IdempotentCodecs");
    }
    return codecs;
  }
}
