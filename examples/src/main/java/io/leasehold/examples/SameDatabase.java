package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.jdbc.FencedWrites;
import io.leasehold.jdbc.JdbcStores;
import io.leasehold.jdbc.TransactionLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Locks in the database that has the data. */
final class SameDatabase {
  private final DataSource dataSource;
  private final FencedWrites fencedWrites = FencedWrites.create();
  private final TransactionLocks transactionLocks = TransactionLocks.create();

  SameDatabase(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  LockClient connect() {
    LockClient locks = Leasehold.builder(JdbcStores.using(dataSource).createTables()).build();
    return locks;
  }

  void guarded(LockClient locks, int id) throws SQLException, InterruptedException {
    try (Lease lease = locks.lock("invoices").acquire(Duration.ofSeconds(5));
        Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      fencedWrites.guard(connection, lease); // LeaseLostException if it is over
      pay(connection, id);
      connection.commit(); // no later holder commits before this
    }
  }

  void inATransaction(int id) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      transactionLocks.lock(connection, "invoices", Duration.ofSeconds(5));
      pay(connection, id);
      connection.commit(); // frees it
    }
  }

  boolean byToken(Connection connection, Lease lease, int id) throws SQLException {
    if (!FencedWrites.raise(connection, "INVOICE", "ID", id, "TOKEN", lease.fencingToken())) {
      return false; // a later holder has written already
    }
    pay(connection, id);
    return true;
  }

  private static void pay(Connection connection, int id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE invoice SET paid = paid + 1 WHERE id = ?")) {
      statement.setInt(1, id);
      statement.executeUpdate();
    }
  }
}
