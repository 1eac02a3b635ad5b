package io.leasehold.examples;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import javax.sql.DataSource;

/** A message may be delivered twice; its effect happens once. */
final class Consumer {
  private final DataSource dataSource;

  Consumer(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Handles a message; false if it was handled before. Acknowledge it in both cases. */
  boolean handle(String messageId, int invoice) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        run(connection, "INSERT INTO handled (message) VALUES (?)", messageId);
      } catch (SQLIntegrityConstraintViolationException e) {
        connection.rollback(); // another delivery was committed first
        return false;
      }
      run(connection, "UPDATE invoice SET paid = paid + 1 WHERE id = ?", invoice);
      connection.commit(); // the record and the effect, both or neither
      return true;
    }
  }

  private static void run(Connection connection, String sql, Object value) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setObject(1, value);
      statement.executeUpdate();
    }
  }
}
