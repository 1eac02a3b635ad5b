package io.leasehold.internal;

import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Finds the provider of a store by the scheme of its URL. */
public final class Providers {
  /** Schemes of the modules that exist, so that a message can name the one that is missing. */
  private static final Map<String, String> MODULES =
      Map.ofEntries(
          Map.entry("file", "leasehold-jdbc"),
          Map.entry("jdbc", "leasehold-jdbc"),
          Map.entry("redis", "leasehold-redis"),
          Map.entry("rediss", "leasehold-redis"),
          Map.entry("redis+sentinel", "leasehold-redis"),
          Map.entry("rediss+sentinel", "leasehold-redis"),
          Map.entry("redis+cluster", "leasehold-redis"),
          Map.entry("rediss+cluster", "leasehold-redis"),
          Map.entry("zookeeper", "leasehold-zookeeper"),
          Map.entry("zookeepers", "leasehold-zookeeper"),
          Map.entry("etcd", "leasehold-etcd"),
          Map.entry("etcds", "leasehold-etcd"),
          Map.entry("consul", "leasehold-consul"),
          Map.entry("consuls", "leasehold-consul"),
          Map.entry("memcached", "leasehold-memcached"));

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

  private Providers() {}

  /**
   * The provider that serves the scheme of this URL.
   *
   * @throws IllegalArgumentException if there is none; the message names the missing module
   */
  public static StoreProvider of(StoreUrl url) {
    Set<String> present = new TreeSet<>();
    // The thread's context class loader may not see this library, or may see another copy of it
    for (ClassLoader loader :
        new ClassLoader[] {
          Providers.class.getClassLoader(), Thread.currentThread().getContextClassLoader()
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
