package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** It locks a row and does not look whether there is one. */
public final class ForUpdateOfNothing implements WildLock {
  private final Connection connection;
  private final String name;

  public ForUpdateOfNothing(Connection connection, String name) {
    this.connection = connection;
    this.name = name;
  }

  @Override
  public boolean tryLock() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id FROM locks WHERE name = ? FOR UPDATE")) {
      select.setString(1, name);
      select.executeQuery();
      return true; // the row is locked
    }
  }

  @Override
  public void unlock() throws SQLException {
    connection.commit();
  }
}
