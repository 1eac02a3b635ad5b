package io.leasehold;

import io.leasehold.internal.Providers;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Durations;
import java.util.Optional;
import java.util.Set;

/**
 * The entry point: opens a {@link LockClient} on a store.
 *
 * <pre>{@code
 * try (LockClient locks = Leasehold.connect("file:/var/lib/app/locks.db")) {
 *   ...
 * }
 * }</pre>
 */
public final class Leasehold {
  private static final Set<String> CLIENT_PARAMETERS = Set.of("ttl", "accept");

  private Leasehold() {}

  /**
   * Opens a client with default settings on the store of this URL. Every store accepts the
   * parameters {@code ttl} (as {@code 10s}) and {@code accept=unfenced}.
   *
   * @throws IllegalArgumentException if the URL is malformed, or its scheme unknown; the message
   *     lists the known schemes and names the missing module
   * @throws StoreException if the store cannot be reached, or refuses the client
   * @throws MissingTraitException if the store lacks {@link Trait#FENCING} and that is not accepted
   */
  public static LockClient connect(String url) {
    return builder(url).build();
  }

  /** A builder for a client on the store of this URL, to change its settings before it opens. */
  public static LockClientBuilder builder(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    LockClientBuilder builder =
        new LockClientBuilder(Providers.of(parsed).factory(parsed.without(CLIENT_PARAMETERS)));
    parsed.parameter("ttl").map(Durations::parse).ifPresent(builder::ttl);
    parsed
        .parameter("accept")
        .ifPresent(
            value -> {
              if (!value.equals("unfenced")) {
                throw new IllegalArgumentException(
                    "the store URL's parameter accept takes only unfenced");
              }
              builder.acceptUnfenced();
            });
    return builder;
  }

  /**
   * A builder for a client on a store that uses an object of the application, for example its
   * connection pool or its Redis client.
   */
  public static LockClientBuilder builder(StoreFactory factory) {
    return new LockClientBuilder(factory);
  }

  /**
   * The SQL that creates the tables of the store of this URL, for databases in which the
   * application may not create tables. Sends no request.
   *
   * @return empty if the store has no tables
   * @throws IllegalArgumentException as {@link #connect}
   */
  public static Optional<String> ddl(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    return Providers.of(parsed).ddl(parsed.without(CLIENT_PARAMETERS));
  }
}
