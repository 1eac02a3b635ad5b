package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.ForUpdateOfNothing;
import io.leasehold.gallery.wild.ForUpdateWithoutIndex;
import io.leasehold.gallery.wild.InsertIfMissing;
import io.leasehold.gallery.wild.RowDeletedByName;
import io.leasehold.gallery.wild.RowWithoutEnd;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Locks that are rows of a table. */
final class RowScenes {
  private static final Duration PAST_THE_END = Duration.ofSeconds(31);

  private RowScenes() {}

  static void withoutEnd(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE locks (name VARCHAR(99) PRIMARY KEY, owner VARCHAR(99))");
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new RowWithoutEnd(mysql.connect(a), "invoice", "A"));
    a.dies("is killed");
    mysql.passes(Duration.ofHours(1));
    boolean locked = b.locks(new RowWithoutEnd(mysql.connect(b), "invoice", "B"));
    stage.harm(Harm.LOCKED_FOR_EVER, !locked);
    mysql.shows("SELECT * FROM locks");
  }

  static void onLeaseholdKilled(Stage stage) throws Exception {
    OnLeasehold.holderDies(stage, stage.mysql());
    stage.verdict("The row says until when, by the database's clock.");
  }

  static void deletedByName(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE locks (name VARCHAR(99) PRIMARY KEY, expires DATETIME(6))");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    var lockOfA = new RowDeletedByName(mysql.connect(a), "invoice");
    a.locks(lockOfA);
    Client.Stopped<Boolean> late = a.unlocksUntil("DELETE", lockOfA);
    mysql.passes(PAST_THE_END);
    b.locks(new RowDeletedByName(mysql.connect(b), "invoice"));
    late.goesOn();
    c.locks(new RowDeletedByName(mysql.connect(c), "invoice"));
    mysql.shows("SELECT name FROM locks");
  }

  static void onLeaseholdLate(Stage stage) throws Exception {
    OnLeasehold.lateRelease(stage, stage.mysql());
  }

  static void forUpdateOfNothing(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE locks (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(99) UNIQUE)");
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new ForUpdateOfNothing(mysql.connect(a), "invoice"));
    b.locks(new ForUpdateOfNothing(mysql.connect(b), "invoice"));
    mysql.shows("SELECT * FROM locks");
  }

  static void onLeaseholdNewName(Stage stage) throws Exception {
    OnLeasehold.oneAtATime(
        stage, stage.mysql(), "A name without a row is made one; the second client is refused.");
  }

  static void forUpdateWithoutIndex(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE locks (id INT AUTO_INCREMENT PRIMARY KEY, task VARCHAR(99))");
    mysql.run("INSERT INTO locks (task) VALUES ('invoice'), ('report')");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    Connection ofA = mysql.connect(a);
    Connection ofB = mysql.connect(b);
    Connection ofC = mysql.connect(c);
    var lockOfA = new ForUpdateWithoutIndex(ofA, "invoice");
    var lockOfB = new ForUpdateWithoutIndex(ofB, "report");

    stage.world("REPEATABLE READ");
    a.locks(lockOfA);
    b.says("wants another task: report");
    CompletableFuture<Boolean> wait = b.begins(lockOfB::tryLock);
    mysql.awaitWaiter(b, "a row that it did not ask for");
    c.says("adds a task");
    CompletableFuture<Boolean> insert = c.begins(() -> adds(ofC, "audit"));
    mysql.awaitWaiters(2, c, "a gap");
    stage.harm(Harm.STANDSTILL, !wait.isDone() && !insert.isDone());
    letsTheOtherGo(a, lockOfA, b, lockOfB, wait);
    c.wakes("goes on");
    Client.ended(insert);

    stage.world("READ COMMITTED");
    ofA.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    ofB.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    a.locks(lockOfA);
    CompletableFuture<Boolean> waitAgain = b.begins(lockOfB::tryLock);
    mysql.awaitWaiter(b, "a row that it did not ask for");
    c.does(() -> adds(ofC, "backup"));
    letsTheOtherGo(a, lockOfA, b, lockOfB, waitAgain);
    mysql.shows("SELECT * FROM locks");
  }

  private static boolean adds(Connection connection, String task) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO locks (task) VALUES (?)")) {
      insert.setString(1, task);
      return insert.executeUpdate() == 1;
    }
  }

  private static void letsTheOtherGo(
      Client a,
      ForUpdateWithoutIndex lockOfA,
      Client b,
      ForUpdateWithoutIndex lockOfB,
      CompletableFuture<Boolean> wait)
      throws Exception {
    a.unlocks(lockOfA);
    b.wakes("goes on");
    b.judged(Client.ended(wait));
    b.unlocks(lockOfB);
  }

  static void onLeaseholdOtherName(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    LeaseholdClient a = mysql.leasehold("A");
    LeaseholdClient b = mysql.leasehold("B");
    Lease invoice = a.lane().does(() -> a.lock("invoice").acquire(Duration.ofSeconds(10)));
    a.lane().says("acquire() of invoice");
    b.lane().says("wants another name: report");
    Lease report = b.lane().does(() -> b.lock("report").acquire(Duration.ofSeconds(10)));
    b.lane().says("acquire() of report");
    stage.harm(Harm.STANDSTILL, !invoice.isHeld());
    b.releases(report);
    a.releases(invoice);
    stage.verdict("A lock is found by its primary key: another name does not meet it.");
  }

  static void gapDeadlock(Stage stage) throws Exception {
    SqlScenery mysql = stage.mysql();
    mysql.run("CREATE TABLE locks (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(99) UNIQUE)");
    mysql.run("CREATE TABLE work (id INT PRIMARY KEY)");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Connection ofA = mysql.connect(a);
    // The server rolls back the transaction that has written less
    a.does(() -> writesSomething(ofA));
    var lockOfA = new InsertIfMissing(ofA, "invoice");
    var lockOfB = new InsertIfMissing(mysql.connect(b), "invoice");
    Client.Stopped<Boolean> first = a.doesUntil("INSERT INTO locks", lockOfA::tryLock);
    Client.Stopped<Boolean> second = b.doesUntil("INSERT INTO locks", lockOfB::tryLock);
    CompletableFuture<Boolean> wait = first.continues();
    mysql.awaitWaiter(a, "B's gap");
    try {
      second.goesOn();
    } catch (SQLException e) {
      b.says("fails: Deadlock found");
      stage.harm(Harm.DEADLOCK, e.getErrorCode() == 1213);
    }
    a.wakes("goes on");
    a.judged(Client.ended(wait));
    a.unlocks(lockOfA);
    mysql.shows("SELECT name FROM locks");
  }

  private static boolean writesSomething(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO work VALUES (1), (2), (3)")) {
      return insert.executeUpdate() == 3;
    }
  }
}
