package io.leasehold.jdbc;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A process that reads a balance under a lease, waits for a line, and writes it one higher. */
final class Adder {
  private Adder() {}

  public static void main(String[] args) throws Exception {
    String tables = args[1];
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    in.readLine();
    String url = args[0] + (args[0].contains("?") ? "&" : "?") + "table=" + tables;
    try (LockClient client = Leasehold.connect(url);
        Connection connection = DriverManager.getConnection(args[0]);
        Statement statement = connection.createStatement()) {
      Lease lease =
          client
              .lock("account")
              .with(LockOptions.defaults().withTtl(Duration.ofSeconds(2)))
              .acquire(Duration.ofSeconds(30));
      int balance = read(statement, tables);
      System.out.println("read " + balance);
      in.readLine();
      connection.setAutoCommit(false);
      try {
        if (args[2].equals("guarded")) {
          FencedWrites.inTables(tables).guard(connection, lease);
        }
        statement.executeUpdate("UPDATE " + tables + "_account SET balance = " + (balance + 1));
        connection.commit();
        System.out.println("written");
      } catch (LeaseLostException e) {
        connection.rollback();
        System.out.println("refused: " + e.getMessage());
      }
    }
  }

  private static int read(Statement statement, String tables) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT balance FROM " + tables + "_account")) {
      row.next();
      return row.getInt(1);
    }
  }
}
