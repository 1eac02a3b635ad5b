package io.leasehold.idempotency;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A database of each kind, shared by all tests of this JVM; each test takes tables of its own. */
enum Databases {
  POSTGRESQL(Kind.POSTGRESQL_15),
  MYSQL(Kind.MYSQL_9),
  MARIADB(Kind.MARIADB_10_11),
  H2(null),
  SQLITE(null);

  private static final Map<Kind, SqlServer> RUNNING = new EnumMap<>(Kind.class);
  private static final String IN_MEMORY = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  private final @Nullable Kind kind;

  Databases(@Nullable Kind kind) {
    this.kind = kind;
  }

  static synchronized SqlServer server(Kind kind) {
    return RUNNING.computeIfAbsent(
        kind,
        k ->
            k == Kind.POSTGRESQL_15
                ? SqlServer.of(k).config("shared_preload_libraries = 'pg_stat_statements'").start()
                : SqlServer.of(k).start());
  }

  @Nullable Kind kind() {
    return kind;
  }

  static String newTables() {
    return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
  }

  /** For a driver. */
  String url(Path dir) {
    if (this == SQLITE) {
      return "jdbc:sqlite:" + dir.resolve("once.db");
    }
    return kind == null ? IN_MEMORY : server(kind).jdbcUrl();
  }

  /** For a store, which makes its tables. */
  String storeUrl(Path dir, String tables) {
    if (this == SQLITE) {
      return "file:" + dir.resolve("once.db");
    }
    String url = url(dir);
    return url + (url.contains("?") ? "&" : "?") + "ddl=create&table=" + tables;
  }

  /** What the names of the tables begin with: in a file there is no choice. */
  String prefix(String tables) {
    return this == SQLITE ? "leasehold" : tables;
  }

  /** A connection in a transaction of the test. */
  Connection begin(Path dir) throws SQLException {
    Connection connection = DriverManager.getConnection(url(dir));
    connection.setAutoCommit(false);
    return connection;
  }
}
