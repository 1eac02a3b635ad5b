package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.jdbc.SqlTables;
import io.leasehold.redis.RedisScripts;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import redis.clients.jedis.RedisClient;

/**
 * Opens stores of the toolkit, by the URLs and on the objects that stores of locks are opened by;
 * locks and this can be in one database. Stateless and thread-safe.
 */
public final class IdempotencyStores {
  private static final String PROBE = "claim";

  /** What only a client of locks reads in a URL that is for both. */
  private static final Set<String> FOR_LOCKS = Set.of("ttl", "accept");

  private IdempotencyStores() {}

  /** In the memory of this process: for tests, and for an application of one process. */
  public static IdempotencyStore inMemory() {
    return new InMemoryIdempotencyStore(new SystemClock());
  }

  /**
   * By URL: {@code file:PATH}, a SQLite file; {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code
   * jdbc:mariadb:} and {@code jdbc:h2:}, with the parameters of the store of locks ({@code table},
   * {@code ddl}); {@code redis:} and {@code rediss:}, likewise; {@code memory:}.
   *
   * @throws IllegalArgumentException if the URL is malformed, or its scheme unknown, or its module
   *     is not on the class path
   * @throws io.leasehold.StoreException if the store cannot be reached, or refuses
   */
  public static IdempotencyStore open(String url) {
    if (url.equals("memory:")) {
      return inMemory();
    }
    StoreUrl parsed = StoreUrl.parse(url).without(FOR_LOCKS);
    return switch (parsed.scheme()) {
      case "file", "jdbc" ->
          present(
              "leasehold-jdbc",
              () -> new SqlIdempotencyStore(SqlTables.open(parsed, SqlText::ddl, PROBE)));
      case "redis", "rediss" ->
          present("leasehold-redis", () -> new RedisIdempotencyStore(RedisScripts.open(parsed)));
      default -> throw unknown(parsed);
    };
  }

  private static IllegalArgumentException unknown(StoreUrl url) {
    return new IllegalArgumentException(
        "no store of idempotency serves the scheme "
            + url.scheme()
            + "; write file:PATH, jdbc:postgresql://HOST/DATABASE, jdbc:mysql:, jdbc:mariadb:,"
            + " jdbc:h2:, redis://HOST, rediss: or memory:");
  }

  /** On a pool of the application, of which it keeps two connections. */
  public static IdempotencyStore using(DataSource pool) {
    return using(pool, "leasehold", false);
  }

  /**
   * On a pool of the application, of which it keeps two connections.
   *
   * @param tables what the names of the tables begin with, after a schema and a dot if there is one
   * @param create whether the tables are made if they are not there
   */
  public static IdempotencyStore using(DataSource pool, String tables, boolean create) {
    return present(
        "leasehold-jdbc",
        () -> new SqlIdempotencyStore(SqlTables.open(pool, tables, create, SqlText::ddl, PROBE)));
  }

  /**
   * On a server that the application has a Jedis client for; it makes connections of its own.
   *
   * @param prefix what every key begins with, as {@code leasehold:}
   */
  public static IdempotencyStore using(RedisClient client, String prefix) {
    return present(
        "leasehold-redis", () -> new RedisIdempotencyStore(RedisScripts.open(client, prefix)));
  }

  /**
   * The SQL that makes the tables, for those who do not let an application make any. Asks nothing.
   *
   * @throws IllegalArgumentException if the URL is malformed, or not of a database
   */
  public static String ddl(String url) {
    StoreUrl parsed = StoreUrl.parse(url).without(FOR_LOCKS);
    if (!parsed.scheme().equals("jdbc") && !parsed.scheme().equals("file")) {
      throw new IllegalArgumentException("no tables are made for the scheme " + parsed.scheme());
    }
    return present(
        "leasehold-jdbc",
        () ->
            SqlText.ddl(SqlTables.place(parsed)).stream()
                .collect(Collectors.joining(";\n\n", "", ";\n")));
  }

  private static <T> T present(String module, Supplier<T> opened) {
    try {
      return opened.get();
    } catch (NoClassDefFoundError e) {
      throw new IllegalArgumentException(
          "a class is missing; add the module io.leasehold:" + module, e);
    }
  }
}
