package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;

/** A row with an end; unlock() deletes the row of that name. */
public final class RowDeletedByName implements WildLock {
  private final Connection connection;
  private final String name;

  public RowDeletedByName(Connection connection, String name) {
    this.connection = connection;
    this.name = name;
  }

  @Override
  public boolean tryLock() throws SQLException {
    try (PreparedStatement expire =
            connection.prepareStatement("DELETE FROM locks WHERE name = ? AND expires < now()");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO locks (name, expires) VALUES (?, now() + INTERVAL 30 SECOND)")) {
      expire.setString(1, name);
      expire.executeUpdate();
      insert.setString(1, name);
      insert.executeUpdate();
      return true;
    } catch (SQLIntegrityConstraintViolationException isThere) {
      return false;
    }
  }

  @Override
  public void unlock() throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM locks WHERE name = ?")) {
      delete.setString(1, name);
      delete.executeUpdate();
    }
  }
}
