package io.leasehold.spi;

import java.util.Optional;
import java.util.Set;

/** Makes stores from URLs. Found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {
  /** The URL schemes it serves, in lower case. */
  Set<String> schemes();

  /**
   * Reads the URL; opens nothing yet.
   *
   * @throws IllegalArgumentException if the URL is not one it understands: says what is wrong and
   *     what it would take
   */
  StoreFactory factory(StoreUrl url);

  /**
   * The statements that create what the store keeps its leases in, as it would run them itself
   * where it may. Opens nothing.
   *
   * @return empty if it needs nothing of the kind
   * @throws IllegalArgumentException as {@link #factory}
   */
  default Optional<String> ddl(StoreUrl url) {
    return Optional.empty();
  }
}
