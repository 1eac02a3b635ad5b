package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.MultiLease;
import io.leasehold.jdbc.FencedWrites;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Money moves between two accounts; a holder that was paused too long moves none. */
final class Transfers {
  private final LockClient locks;
  private final DataSource dataSource;
  private final FencedWrites fencedWrites = FencedWrites.create();

  Transfers(LockClient locks, DataSource dataSource) {
    this.locks = locks;
    this.dataSource = dataSource;
  }

  void transfer(int from, int to, long cents) throws SQLException, InterruptedException {
    try (MultiLease both =
            locks.allOf("account-" + from, "account-" + to).acquire(Duration.ofSeconds(5));
        Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      for (Lease lease : both.leases()) {
        fencedWrites.guard(connection, lease); // LeaseLostException if it is over
      }
      add(connection, from, -cents);
      add(connection, to, cents);
      connection.commit(); // no later holder of either account commits before this
    }
  }

  private static void add(Connection connection, int account, long cents) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE account SET cents = cents + ? WHERE id = ?")) {
      statement.setLong(1, cents);
      statement.setInt(2, account);
      statement.executeUpdate();
    }
  }
}
