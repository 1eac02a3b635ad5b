package io.leasehold.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Makes stores from URLs. {@link java.util.ServiceLoader} finds the providers on the class path.
 */
public interface StoreProvider {
  /** The URL schemes that this provider serves, in lower case. */
  Set<String> schemes();

  /**
   * Reads the URL; does not open the store.
   *
   * @throws IllegalArgumentException if the URL is not valid; the message says what is wrong and
   *     what is allowed
   */
  StoreFactory factory(StoreUrl url);

  /**
   * As {@link #factory}, for a member of a quorum. If the server forgets its leases at a restart,
   * requests fail with {@code UNAVAILABLE} until every lease of {@code longestTtl} that it granted
   * before has ended. A store that cannot tell when its server was restarted serves at once, as
   * here.
   */
  default StoreFactory memberFactory(StoreUrl url, Duration longestTtl) {
    return factory(url);
  }

  /**
   * The statements that create the tables of the store, as the store runs them if it has the
   * privilege. Does not open the store.
   *
   * @return empty if the store needs no tables
   * @throws IllegalArgumentException as {@link #factory}
   */
  default Optional<String> ddl(StoreUrl url) {
    return Optional.empty();
  }
}
