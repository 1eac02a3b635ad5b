package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/** A row with a unique key is the lock. It has no end. */
public final class RowWithoutEnd implements WildLock {
  private final Connection connection;
  private final String name;
  private final String owner;

  public RowWithoutEnd(Connection connection, String name, String owner) {
    this.connection = connection;
    this.name = name;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO locks (name, owner) VALUES (?, ?)")) {
      insert.setString(1, name);
      insert.setString(2, owner);
      insert.executeUpdate();
      return true;
    } catch (SQLIntegrityConstraintViolationException isThere) {
      return false;
    }
  }

  @Override
  public void unlock() throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM locks WHERE name = ? AND owner = ?")) {
      delete.setString(1, name);
      delete.setString(2, owner);
      delete.executeUpdate();
    }
  }
}
