package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.CheckThenInsert;
import io.leasehold.gallery.wild.OwnerColumn;
import io.leasehold.gallery.wild.VersionIgnored;
import io.leasehold.jdbc.FencedWrites;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;

/** Data that is to protect itself. */
final class DataScenes {
  private static final String ACCOUNT =
      "CREATE TABLE account (id INT PRIMARY KEY, balance INT, version INT)";
  private static final String PAYMENT =
      "CREATE TABLE payment (id INT AUTO_INCREMENT PRIMARY KEY, request VARCHAR(99))";

  private DataScenes() {}

  static void versionIgnored(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run(ACCOUNT);
    mysql.run("INSERT INTO account VALUES (1, 100, 1)");
    Client a = stage.client("A");
    Client b = stage.client("B");
    var accountOfA = new VersionIgnored(mysql.connect(a));
    var accountOfB = new VersionIgnored(mysql.connect(b));
    a.says("books 30");
    Client.Stopped<Boolean> slow = a.doesUntil("UPDATE", booking(accountOfA, 30));
    b.says("books 20");
    b.does(booking(accountOfB, 20));
    slow.goesOn();
    a.says("has booked 30, it thinks");
    List<String> account = mysql.shows("SELECT balance FROM account");
    stage.data("100 + 30 + 20 is 150");
    stage.harm(Harm.LOST_UPDATE, account.equals(List.of("120")));
  }

  private static Callable<Boolean> booking(VersionIgnored account, int amount) {
    return () -> {
      account.book(amount);
      return true;
    };
  }

  static void onLeaseholdVersion(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run(ACCOUNT);
    mysql.run("INSERT INTO account VALUES (1, 100, 1)");
    LeaseholdClient a = mysql.leasehold("A");
    LeaseholdClient b = mysql.leasehold("B");
    Lease leaseOfA = a.acquires("account 1");
    stage.harm(Harm.TWO_HOLDERS, b.tries("account 1").isPresent());
    bookGuarded(mysql, a, leaseOfA, 30);
    a.releases(leaseOfA);
    Lease leaseOfB = b.acquires("account 1");
    bookGuarded(mysql, b, leaseOfB, 20);
    b.releases(leaseOfB);
    List<String> account = mysql.shows("SELECT balance FROM account");
    stage.harm(Harm.LOST_UPDATE, !account.equals(List.of("150")));
    stage.verdict("One at a time; guard() throws where an ignored count says nothing.");
  }

  private static void bookGuarded(SqlScenery mysql, LeaseholdClient who, Lease lease, int amount)
      throws Exception {
    Connection connection = mysql.connect();
    who.lane()
        .does(
            () -> {
              connection.setAutoCommit(false);
              FencedWrites.create().guard(connection, lease);
              book(connection, amount);
              connection.commit();
              return true;
            });
    who.lane().says("guard(connection, lease), books " + amount + ", commits");
  }

  private static void book(Connection connection, int amount) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = 1")) {
      update.setInt(1, amount);
      update.executeUpdate();
    }
  }

  static void aba(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE job (owner VARCHAR(99), result VARCHAR(99))");
    mysql.run("INSERT INTO job VALUES (NULL, 'none')");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    var jobOfA = new OwnerColumn(mysql.connect(a), "worker-1");
    var jobOfB = new OwnerColumn(mysql.connect(b), "worker-2");
    a.locks(jobOfA);
    Client.Stopped<Boolean> old = a.doesUntil("UPDATE job SET result", () -> jobOfA.finish("old"));
    mysql.run("UPDATE job SET owner = NULL");
    stage.world("worker-1 is not heard of: its job is freed");
    b.locks(jobOfB);
    b.does(() -> jobOfB.finish("new"));
    b.unlocks(jobOfB);
    c.says("is worker-1, started again");
    c.does(new OwnerColumn(mysql.connect(c), "worker-1")::tryLock);
    boolean written = old.goesOn();
    List<String> job = mysql.shows("SELECT owner, result FROM job");
    stage.harm(Harm.LOST_UPDATE, written && job.equals(List.of("worker-1, old")));
  }

  static void onLeaseholdAba(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE job (id INT PRIMARY KEY, token BIGINT NOT NULL, result VARCHAR(99))");
    mysql.run("INSERT INTO job VALUES (1, 0, 'none')");
    LeaseholdClient a = mysql.leasehold("A");
    LeaseholdClient b = mysql.leasehold("B");
    LeaseholdClient c = mysql.leasehold("C");
    Lease old = a.acquires("job");
    a.lane().stops("is stopped before it writes");
    mysql.passes(LeaseholdClient.TTL.plusSeconds(1));
    Lease leaseOfB = b.acquires("job");
    stage.harm(Harm.LOST_UPDATE, !raised(mysql, leaseOfB, "new"));
    b.lane().says("writes 'new' with token 2 → done");
    b.releases(leaseOfB);
    Lease leaseOfC = c.acquires("job");
    boolean written = raised(mysql, old, "old");
    a.lane().leaves("wakes, writes 'old' with token 1 → " + (written ? "done" : "refused"));
    stage.harm(Harm.LOST_UPDATE, written);
    c.releases(leaseOfC);
    mysql.shows("SELECT result FROM job");
    stage.verdict("A token is never used again: an earlier grant is not the present one.");
  }

  private static boolean raised(SqlScenery mysql, Lease lease, String result) throws SQLException {
    Connection connection = mysql.connect();
    connection.setAutoCommit(false);
    boolean raised = FencedWrites.raise(connection, "job", "id", 1, "token", lease.fencingToken());
    if (raised) {
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE job SET result = ? WHERE id = 1")) {
        update.setString(1, result);
        update.executeUpdate();
      }
    }
    connection.commit();
    return raised;
  }

  static void checkThenInsert(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run(PAYMENT);
    Client a = stage.client("A");
    Client b = stage.client("B");
    var paymentsOfA = new CheckThenInsert(mysql.connect(a));
    var paymentsOfB = new CheckThenInsert(mysql.connect(b));
    Client.Stopped<Boolean> slow = a.doesUntil("INSERT", () -> paymentsOfA.pay("r-42"));
    b.says("has the same request, sent again");
    b.does(() -> paymentsOfB.pay("r-42"));
    slow.goesOn();
    List<String> payments = mysql.shows("SELECT * FROM payment");
    stage.harm(Harm.DONE_TWICE, payments.size() == 2);
  }

  static void onLeaseholdCheckThenInsert(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run(PAYMENT);
    LeaseholdClient a = mysql.leasehold("A");
    LeaseholdClient b = mysql.leasehold("B");
    Lease leaseOfA = a.acquires("payment r-42");
    stage.harm(Harm.TWO_HOLDERS, b.tries("payment r-42").isPresent());
    payGuarded(mysql, a, leaseOfA);
    a.releases(leaseOfA);
    Lease leaseOfB = b.acquires("payment r-42");
    payGuarded(mysql, b, leaseOfB);
    b.releases(leaseOfB);
    stage.harm(Harm.DONE_TWICE, mysql.shows("SELECT * FROM payment").size() != 1);
    stage.verdict("Check and insert under one lock, guarded in one transaction.");
  }

  private static void payGuarded(SqlScenery mysql, LeaseholdClient who, Lease lease)
      throws Exception {
    Connection connection = mysql.connect();
    boolean paid =
        who.lane()
            .does(
                () -> {
                  connection.setAutoCommit(false);
                  FencedWrites.create().guard(connection, lease);
                  boolean done = payUnlessPaid(connection);
                  connection.commit();
                  return done;
                });
    who.lane().says("guard(connection, lease): " + (paid ? "pays" : "is paid already"));
  }

  private static boolean payUnlessPaid(Connection connection) throws SQLException {
    return new CheckThenInsert(connection).pay("r-42");
  }
}
