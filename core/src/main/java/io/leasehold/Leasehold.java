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
 * The entry point: opens a {@link LockClient} on a store.
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
          "rediss", "leasehold-redis",
          "zookeeper", "leasehold-zookeeper",
          "etcd", "leasehold-etcd",
          "etcds", "leasehold-etcd",
          "consul", "leasehold-consul",
          "consuls", "leasehold-consul",
          "memcached", "leasehold-memcached");

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
    return provider(parsed).ddl(parsed.without(CLIENT_PARAMETERS));
  }

  private static StoreProvider provider(StoreUrl url) {
    Set<String> present = new TreeSet<>();
    // The thread's context class loader may not see this library, or may see another copy of it
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
          + ": add the module io.leasehold:"
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
