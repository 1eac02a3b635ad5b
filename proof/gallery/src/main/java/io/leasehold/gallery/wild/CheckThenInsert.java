package io.leasehold.gallery.wild;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Each request is paid once: it looks whether it was paid, and pays. */
public final class CheckThenInsert {
  private final Connection connection;

  public CheckThenInsert(Connection connection) {
    this.connection = connection;
  }

  /** Pays, unless it is paid. */
  public boolean pay(String request) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT id FROM payment WHERE request = ?");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO payment (request) VALUES (?)")) {
      select.setString(1, request);
      if (select.executeQuery().next()) {
        return false;
      }
      insert.setString(1, request);
      return insert.executeUpdate() == 1;
    }
  }
}
