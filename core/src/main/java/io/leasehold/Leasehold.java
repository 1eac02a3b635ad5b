package io.leasehold;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Durations;
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
      Map.of(
          "file", "leasehold-jdbc",
          "jdbc", "leasehold-jdbc",
          "redis", "leasehold-redis",
          "rediss", "leasehold-redis");

  /** Schemes that people try, and what is written here for the same store. */
  private static final Map<String, String> MEANT =
      Map.of(
          "postgresql", "jdbc:postgresql://HOST/DATABASE",
          "postgres", "jdbc:postgresql://HOST/DATABASE",
          "mysql", "jdbc:mysql://HOST/DATABASE",
          "mariadb", "jdbc:mariadb://HOST/DATABASE",
          "h2", "jdbc:h2:PATH",
          "sqlite", "file:PATH",
          "valkey", "redis://HOST:6379",
          "valkeys", "rediss://HOST:6379");

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
              builder.acceptUnfenced();
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
    // A thread's own loader may know nothing of this library, or another copy of it
    for (ClassLoader loader :
        new ClassLoader[] {
          Leasehold.class.getClassLoader(), Thread.currentThread().getContextClassLoader()
        }) {
      for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
        if (provider.schemes().contains(url.scheme())) {
          return provider;
        }
        present.addAll(provider.schemes());
      }
    }
    throw new IllegalArgumentException(noStore(url.scheme(), present));
  }

  private static String noStore(String scheme, Set<String> present) {
    String module = MODULES.get(scheme);
    if (module != null) {
      return "no store on the class path serves "
          + scheme
          + ":, add the module io.leasehold:"
          + module;
    }
    String meant = MEANT.get(scheme);
    return "unknown store URL scheme "
        + scheme
        + (meant == null ? "" : ", write " + meant)
        + ": on the class path are "
        + (present.isEmpty() ? "none" : String.join(", ", present))
        + "; there are modules for "
        + String.join(", ", new TreeSet<>(MODULES.keySet()));
  }
}
