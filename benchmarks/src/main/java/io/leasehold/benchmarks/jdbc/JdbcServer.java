package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServerBuilder;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * One server, on which idle clients ask nothing; and a database for all.
 *
 * @param database which
 * @param server its process
 * @param url of the database for all
 */
public record JdbcServer(Database database, SqlServer server, String url) implements Server {
  /** Starts one. */
  public static JdbcServer start(Database database) {
    SqlServerBuilder builder = SqlServer.of(database.kind());
    database.configuration().forEach(builder::config);
    SqlServer server = builder.start();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : database.preparation()) {
        statement.execute(sql);
      }
      return new JdbcServer(database, server, server.newDatabase() + database.patience());
    } catch (SQLException e) {
      server.close();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String version() {
    try (Connection connection = server.connect()) {
      DatabaseMetaData driver = connection.getMetaData();
      return ask(connection, database.version(), 1)
          + ", by "
          + driver.getDriverName()
          + " "
          + driver.getDriverVersion();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A new database, so that tables are small. */
  @Override
  public String quietUrl() {
    return server.newDatabase() + database.patience();
  }

  /** The question is counted too, once. */
  @Override
  public Counts count(Work work) throws InterruptedException {
    try (Connection connection = server.connect()) {
      long before = statements(connection);
      work.run();
      return new Counts(Map.of("statements", statements(connection) - before - 1.0));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long statements(Connection connection) throws SQLException {
    return Long.parseLong(ask(connection, database.countOfStatements(), 2));
  }

  private static String ask(Connection connection, String sql, int column) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(sql)) {
      answer.next();
      return String.valueOf(answer.getString(column));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
