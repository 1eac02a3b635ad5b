package io.leasehold.spi;

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
}
