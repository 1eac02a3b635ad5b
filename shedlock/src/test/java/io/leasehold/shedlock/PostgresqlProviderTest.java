package io.leasehold.shedlock;

import io.leasehold.servers.SqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresqlProviderTest extends ServerProviderContract {
  private static SqlServer server;
  private static String database;

  @BeforeAll
  static void start() {
    server = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).start();
    database = server.newDatabase();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String url() {
    return database + (database.contains("?") ? "&" : "?") + "ddl=create";
  }
}
