package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** It locks the row of a task, by a column that has no index. */
public final class ForUpdateWithoutIndex implements WildLock {
  private final Connection connection;
  private final String name;

  public ForUpdateWithoutIndex(Connection connection, String name) {
    this.connection = connection;
    this.name = name;
  }

  @Override
  public boolean tryLock() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id FROM locks WHERE task = ? FOR UPDATE")) {
      select.setString(1, name);
      return select.executeQuery().next();
    }
  }

  @Override
  public void unlock() throws SQLException {
    connection.commit();
  }
}
