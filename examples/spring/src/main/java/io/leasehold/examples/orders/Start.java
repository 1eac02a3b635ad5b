package io.leasehold.examples.orders;

import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.SqlServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Starts PostgreSQL, Redis and two instances of the service; ends with them. */
public final class Start {
  private Start() {}

  /** Runs until both instances have ended. */
  public static void main(String[] arguments) throws Exception {
    try (SqlServer postgresql = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).start();
        RedisServer redis = RedisServer.of(RedisServer.Kind.REDIS_7_0).start()) {
      String database = postgresql.newDatabase();
      createTables(database);
      Process one = instance(8081, database, redis.url());
      Process two = instance(8082, database, redis.url());
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    one.destroyForcibly();
                    two.destroyForcibly();
                  }));
      System.out.println("http://localhost:8081 is process " + one.pid());
      System.out.println("http://localhost:8082 is process " + two.pid());
      one.onExit().thenCombine(two.onExit(), (a, b) -> a).join();
    }
  }

  /** As Flyway or Liquibase would. */
  static void createTables(String database) throws SQLException, IOException {
    try (InputStream tables = Start.class.getResourceAsStream("/tables.sql");
        Connection connection = DriverManager.getConnection(database);
        Statement statement = connection.createStatement()) {
      statement.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
      statement.execute(IdempotencyStores.ddl(database));
    }
  }

  /** One instance of the service. */
  static Process instance(int port, String database, String redis) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx160m",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            OrderService.class.getName(),
            "--server.port=" + port,
            "--spring.datasource.url=" + database,
            "--spring.data.redis.url=" + redis)
        .inheritIO()
        .start();
  }
}
