package io.leasehold.spring;

import io.leasehold.idempotency.Idempotency;
import java.time.Duration;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * What {@link Idempotent} methods are run with: asked when the first one is read. The starter
 * defines it.
 */
public interface IdempotentHome {
  /** Runs the methods. */
  Idempotency idempotency();

  /** Where their results are, if that is a database of the application. */
  Optional<IdempotencyTables> tables();

  /** How long results are kept, if the method does not say. */
  Duration keep();

  /**
   * How results are written.
   *
   * @throws IllegalArgumentException if that is not known
   */
  IdempotentCodecs codecs();

  /** The beans. */
  ConfigurableListableBeanFactory beans();
}
