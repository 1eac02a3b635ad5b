package io.leasehold.benchmarks.failover;

import io.leasehold.jdbc.FencedWrites;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;

/** A row of a database that refuses a token lower than the highest that it has. */
final class FencedData implements AutoCloseable {
  private final Connection connection;

  FencedData() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE data (id INTEGER PRIMARY KEY, fence INTEGER NOT NULL)");
      statement.execute("INSERT INTO data VALUES (1, 0)");
    }
  }

  /** Returns whether the write was accepted, as each is that comes without a token. */
  boolean write(OptionalLong token) throws SQLException {
    return token.isEmpty()
        || FencedWrites.raise(connection, "data", "id", 1, "fence", token.getAsLong());
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
