package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockClient;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

class SameDatabaseTest {
  @Test
  void everyWayPays() throws Exception {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:invoices;DB_CLOSE_DELAY=-1");
    SameDatabase example = new SameDatabase(dataSource);
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        LockClient locks = example.connect()) {
      statement.execute("CREATE TABLE invoice (id INT PRIMARY KEY, paid INT, token BIGINT)");
      statement.execute("INSERT INTO invoice VALUES (7, 0, 0)");

      example.guarded(locks, 7);
      assertThat(paid(statement)).isEqualTo(1);
      example.inATransaction(7);
      assertThat(paid(statement)).isEqualTo(2);
      try (Lease lease = locks.lock("others").acquire(Duration.ofSeconds(5))) {
        assertThat(example.byToken(connection, lease, 7)).isTrue();
        assertThat(paid(statement)).isEqualTo(3);
        statement.executeUpdate("UPDATE invoice SET token = token + 1");
        assertThat(example.byToken(connection, lease, 7)).isFalse();
      }
      assertThat(paid(statement)).isEqualTo(3);
    }
  }

  private static int paid(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT paid FROM invoice")) {
      row.next();
      return row.getInt(1);
    }
  }
}
