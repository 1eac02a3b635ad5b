package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Optimistic: it writes if the version is still the one it read. Whether it did is not asked. */
public final class VersionIgnored {
  private final Connection connection;

  public VersionIgnored(Connection connection) {
    this.connection = connection;
  }

  /** Adds to the balance. */
  public void book(int amount) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT balance, version FROM account WHERE id = 1");
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE account SET balance = ?, version = version + 1"
                    + " WHERE id = 1 AND version = ?")) {
      ResultSet row = select.executeQuery();
      row.next();
      update.setInt(1, row.getInt(1) + amount);
      update.setInt(2, row.getInt(2));
      update.executeUpdate();
    }
  }
}
