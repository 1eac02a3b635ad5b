package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** It looks for the row, locked, and makes it if there is none. */
public final class InsertIfMissing implements WildLock {
  private final Connection connection;
  private final String name;

  public InsertIfMissing(Connection connection, String name) {
    this.connection = connection;
    this.name = name;
  }

  @Override
  public boolean tryLock() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement select =
            connection.prepareStatement("SELECT id FROM locks WHERE name = ? FOR UPDATE");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO locks (name) VALUES (?)")) {
      select.setString(1, name);
      if (!select.executeQuery().next()) {
        insert.setString(1, name);
        insert.executeUpdate();
      }
      return true;
    }
  }

  @Override
  public void unlock() throws SQLException {
    connection.commit();
  }
}
