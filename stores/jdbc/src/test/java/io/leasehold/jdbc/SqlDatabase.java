package io.leasehold.jdbc;

import io.leasehold.servers.SqlServer.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A database of each kind that is served, shared by all tests of this JVM. */
enum SqlDatabase {
  POSTGRESQL(Kind.POSTGRESQL_15),
  MYSQL(Kind.MYSQL_9),
  MARIADB(Kind.MARIADB_10_11),
  H2(null);

  private static final String IN_MEMORY = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  private final @Nullable Kind kind;

  SqlDatabase(@Nullable Kind kind) {
    this.kind = kind;
  }

  /** Its URL for a driver. */
  String url() {
    return kind == null ? IN_MEMORY : SharedServers.of(kind).jdbcUrl();
  }

  /** What the names of a test's own tables begin with. */
  static String newTables() {
    return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
  }

  /** The URL of a store with tables of its own, which are made. */
  String storeUrl(String tables) {
    String url = url();
    return url + (url.contains("?") ? "&" : "?") + "ddl=create&table=" + tables;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** A connection in a transaction of the test. */
  Connection begin() throws SQLException {
    Connection connection = connect();
    connection.setAutoCommit(false);
    return connection;
  }
}
