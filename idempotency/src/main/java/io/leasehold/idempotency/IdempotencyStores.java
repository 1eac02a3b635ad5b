package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.jdbc.SqlTables;
import io.leasehold.redis.RedisAddress;
import io.leasehold.redis.RedisScripts;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import redis.clients.jedis.RedisClient;

/**
 * Opens the stores of the toolkit, from the same URLs and over the same objects as the lock stores;
 * both can share a database. Stateless and thread-safe.
 */
public final class IdempotencyStores {
  private static final String PROBE = "claim";

  /** What only a client of locks reads in a URL that is for both. */
  private static final Set<String> FOR_LOCKS = Set.of("ttl", "accept");

  private IdempotencyStores() {}

  /** A store in the memory of this process, for tests and for applications of one process. */
  public static IdempotencyStore inMemory() {
    return new InMemoryIdempotencyStore(new SystemClock());
  }

  /**
   * Opens the store of a URL: {@code file:PATH}, a SQLite file; {@code jdbc:postgresql:}, {@code
   * jdbc:mysql:}, {@code jdbc:mariadb:} and {@code jdbc:h2:}, with the parameters of the lock store
   * ({@code table}, {@code ddl}); {@code redis:} and {@code rediss:}, with those of the lock store
   * too; {@code memory:}.
   *
   * @throws IllegalArgumentException if the URL is malformed, or its scheme unknown, or its module
   *     is not on the class path
   * @throws io.leasehold.StoreException if the store cannot be reached, or refuses the client
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
      case "redis", "rediss", "redis+sentinel", "rediss+sentinel" ->
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

  /** A store over a pool of the application, of which it keeps two connections. */
  public static IdempotencyStore using(DataSource pool) {
    return using(pool, "leasehold", false);
  }

  /**
   * A store over a pool of the application, of which it keeps two connections.
   *
   * @param tables the prefix of the table names, with a schema and a dot before it if there is one
   * @param create whether to create the tables if they do not exist
   */
  public static IdempotencyStore using(DataSource pool, String tables, boolean create) {
    return present(
        "leasehold-jdbc",
        () -> new SqlIdempotencyStore(SqlTables.open(pool, tables, create, SqlText::ddl, PROBE)));
  }

  /**
   * A store over a Jedis client of the application; it opens separate connections.
   *
   * @param prefix the prefix of every key, as {@code leasehold:}
   */
  public static IdempotencyStore using(RedisClient client, String prefix) {
    return present(
        "leasehold-redis", () -> new RedisIdempotencyStore(RedisScripts.open(client, prefix)));
  }

  /**
   * A store on the Redis server, or the primary, of an address of the application.
   *
   * @param prefix the prefix of every key, as {@code leasehold:}
   * @throws IllegalArgumentException if it is the address of a cluster
   */
  public static IdempotencyStore at(RedisAddress address, String prefix) {
    return present(
        "leasehold-redis", () -> new RedisIdempotencyStore(RedisScripts.open(address, prefix)));
  }

  /**
   * A store over a Lettuce client of the application, of which it keeps one connection. The client
   * must reject commands while it is disconnected, as for the lock store: {@code
   * io.leasehold.redis.LettuceStores}.
   *
   * @param prefix the prefix of every key, as {@code leasehold:}
   */
  public static IdempotencyStore usingLettuce(io.lettuce.core.RedisClient client, String prefix) {
    return present(
        "leasehold-redis",
        () -> new RedisIdempotencyStore(RedisScripts.openLettuce(client, prefix)));
  }

  /**
   * The SQL that creates the tables, for databases in which the application may not create tables.
   * Sends no request.
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
