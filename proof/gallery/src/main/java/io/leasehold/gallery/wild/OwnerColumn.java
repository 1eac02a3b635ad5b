package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The row says who works on it, and who that is may write: the same name, not the same time. */
public final class OwnerColumn implements WildLock {
  private final Connection connection;
  private final String owner;

  public OwnerColumn(Connection connection, String owner) {
    this.connection = connection;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() throws SQLException {
    return updated("UPDATE job SET owner = ? WHERE owner IS NULL");
  }

  /** Writes the result, if the job is still its own. */
  public boolean finish(String result) throws SQLException {
    return updated("UPDATE job SET result = '" + result + "' WHERE owner = ?");
  }

  @Override
  public void unlock() throws SQLException {
    updated("UPDATE job SET owner = NULL WHERE owner = ?");
  }

  private boolean updated(String sql) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setString(1, owner);
      return update.executeUpdate() == 1;
    }
  }
}
