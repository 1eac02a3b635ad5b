package io.leasehold;

import io.leasehold.internal.Durations;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where it begins: opens a {@link LockClient} on a store.
 *
 * <pre>{@code
 * try (LockClient locks = Leasehold.connect("file:/var/lib/app/locks.db")) {
 *   ...
 * }
 * }</pre>
 */
public final class Leasehold {
  /** Schemes of the modules that exist, so that a message can name the one that is missing. */
  private static final Map<String, String> MODULES =
      Map.of("file", "leasehold-jdbc", "redis", "leasehold-redis", "rediss", "leasehold-redis");

  private static final Set<String> CLIENT_PARAMETERS = Set.of("ttl", "accept");

  private Leasehold() {}

  /**
   * Opens a client on the store with this URL, with default settings. Parameters every store takes:
   * {@code ttl} (as {@code 10s}), {@code accept=unfenced}.
   *
   * @throws IllegalArgumentException if the URL is malformed, or its scheme unknown: says which
   *     schemes there are and which module is missing
   * @throws StoreException if the store cannot be reached or refuses
   * @throws MissingTraitException if the store lacks {@link Trait#FENCING} and that is not accepted
   */
  public static LockClient connect(String url) {
    return builder(url).build();
  }

  /** As {@link #connect}, with settings. */
  public static LockClientBuilder builder(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    LockClientBuilder builder =
        new LockClientBuilder(provider(parsed).factory(parsed.without(CLIENT_PARAMETERS)));
    parsed.parameter("ttl").map(Durations::parse).ifPresent(builder::ttl);
    parsed
        .parameter("accept")
        .ifPresent(
            value -> {
              if (!value.equals("unfenced")) {
                throw new IllegalArgumentException(
                    "the store URL's parameter accept takes only unfenced");
              }
              builder.accept(Trait.UNFENCED);
            });
    return builder;
  }

  /**
   * A client on a store made from an object that the application already has: its pool, its client,
   * its security.
   */
  public static LockClientBuilder builder(StoreFactory factory) {
    return new LockClientBuilder(factory);
  }

  /**
   * The SQL that creates the tables of the store with this URL, for those who do not let an
   * application create any. Asks the store nothing.
   *
   * @return empty if the store has no tables
   * @throws IllegalArgumentException as {@link #connect}
   */
  public static Optional<String> ddl(String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    return provider(parsed).ddl(parsed.without(CLIENT_PARAMETERS));
  }

  private static StoreProvider provider(StoreUrl url) {
    Set<String> present = new TreeSet<>();
    for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
      if (provider.schemes().contains(url.scheme())) {
        return provider;
      }
      present.addAll(provider.schemes());
    }
    String module = MODULES.get(url.scheme());
    throw new IllegalArgumentException(
        module != null
            ? "no store on the class path serves "
                + url.scheme()
                + ":, add the module io.leasehold:"
                + module
            : "unknown store URL scheme "
                + url.scheme()
                + ": on the class path are "
                + (present.isEmpty() ? "none" : String.join(", ", present))
                + "; there are modules for "
                + String.join(", ", new TreeSet<>(MODULES.keySet())));
  }
}
