package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.jdbc.SqlClient.Isolation;
import io.leasehold.servers.SqlServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The parts of docs/sql-locking.md in which several clients meet. */
final class SqlLockingScenes {
  private static final int TIMED_OUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int DUPLICATE = 1062;
  private static final int CLIENTS = 4;
  private static final int ROUNDS = 100;

  private static final String MISSING = "SELECT * FROM pair WHERE id = 25 FOR UPDATE";
  private static final String INSERT = "INSERT INTO pair VALUES (25)";

  private final InnodbLocks locks;
  private final StringBuilder page;
  private final String url;

  SqlLockingScenes(SqlServer server, InnodbLocks locks, StringBuilder page) {
    this.locks = locks;
    this.page = page;
    this.url = server.newDatabase();
  }

  void play() throws Exception {
    try (SqlClient setup = new SqlClient(url);
        SqlClient a = new SqlClient(url);
        SqlClient b = new SqlClient(url);
        SqlClient c = new SqlClient(url)) {
      setup.run("CREATE TABLE item (id INT PRIMARY KEY, code VARCHAR(9) UNIQUE, note VARCHAR(9))");
      setup.run("INSERT INTO item VALUES (10, '10', 'a'), (20, '20', 'b'), (30, '30', 'c')");
      setup.run("CREATE TABLE pair (id INT PRIMARY KEY)");
      setup.run("INSERT INTO pair VALUES (20), (30)");
      whoWaits(a, b);
      twoInserters(a, b);
      sameInReadCommitted(a, b);
      setup.run("CREATE TABLE lease (name VARCHAR(9) PRIMARY KEY, fence INT NOT NULL)");
      setup.run("CREATE TABLE meta (floor INT PRIMARY KEY)");
      setup.run("INSERT INTO meta VALUES (0)");
      whyNotLeasehold();
      threeInserters(a, b, c);
    }
  }

  private void whoWaits(SqlClient holder, SqlClient client) throws SQLException {
    page.append(
        """

        ## Which statements wait

        Another transaction has updated row 10 and not committed. None of these statements needs row 10. But a statement that scans reaches
        the row and waits until that transaction ends. Only `UPDATE` in READ COMMITTED first reads the committed row and skips it if it does
        not match; `DELETE` does not.

        | statement | READ COMMITTED | REPEATABLE READ |
        |---|---|---|
        """);
    holder.begin(Isolation.READ_COMMITTED);
    holder.run("UPDATE item SET note = 'z' WHERE id = 10");
    client.run("SET innodb_lock_wait_timeout = 1");
    for (String sql :
        List.of(
            "SELECT * FROM item WHERE id = 20 FOR UPDATE",
            "SELECT * FROM item WHERE code = '20' FOR UPDATE",
            "SELECT * FROM item WHERE code = 20 FOR UPDATE",
            "SELECT * FROM item WHERE note = 'b' FOR UPDATE",
            "UPDATE item SET note = 'x' WHERE note = 'b'",
            "DELETE FROM item WHERE note = 'b'")) {
      page.append("| `").append(sql).append("` |");
      for (Isolation isolation : Isolation.values()) {
        client.begin(isolation);
        int error = client.outcome(sql);
        assertThat(error).isIn(0, TIMED_OUT);
        page.append(error == 0 ? " continues |" : " **waits** |");
        client.rollback();
      }
      page.append('\n');
    }
    client.run("SET innodb_lock_wait_timeout = 50");
    holder.rollback();
  }

  private void twoInserters(SqlClient a, SqlClient b) throws Exception {
    page.append(
        """

        ## Two inserters, one gap

        This is the usual way to create a row that may exist already, and the usual deadlock. `pair` has the rows 20 and 30. A and B, in
        REPEATABLE READ, look for 25, do not find it, and insert it:

        | step | A has | B has |
        |---|---|---|
        """);
    a.begin(Isolation.REPEATABLE_READ);
    b.begin(Isolation.REPEATABLE_READ);
    a.run(MISSING);
    step("A: `" + MISSING + "`", a, b);
    b.run(MISSING);
    step("B: the same; several transactions may hold a gap", a, b);
    Future<Integer> first = a.start(INSERT);
    locks.awaitWait(a);
    step("A: `" + INSERT + "` waits for B's gap", a, b);
    Future<Integer> second = b.start(INSERT);
    assertThat(List.of(outcome(first), outcome(second))).containsExactlyInAnyOrder(0, DEADLOCK);
    a.rollback();
    b.rollback();
    page.append(
        """
        | B: the same, and waits for A's gap | succeeds, or **error 1213** | **error 1213**, or succeeds |

        Error 1213 is `Deadlock found`: the server selected that transaction and rolled it back.

        """);
  }

  private void sameInReadCommitted(SqlClient a, SqlClient b) throws Exception {
    page.append(
        "In READ COMMITTED no transaction holds a gap, and the second insert waits for the first:\n\n");
    page.append("| step | A has | B has |\n|---|---|---|\n");
    a.begin(Isolation.READ_COMMITTED);
    b.begin(Isolation.READ_COMMITTED);
    a.run(MISSING);
    b.run(MISSING);
    step("both: `" + MISSING + "`", a, b);
    a.run(INSERT);
    Future<Integer> second = b.start(INSERT);
    locks.awaitWait(b);
    step("both: `" + INSERT + "`, A first", a, b);
    a.commit();
    assertThat(outcome(second)).isEqualTo(DUPLICATE);
    b.rollback();
    page.append("| A commits | nothing | error 1062, `Duplicate entry` |\n");
  }

  private void whyNotLeasehold() throws Exception {
    List<SqlClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        SqlClient client = new SqlClient(url);
        clients.add(client);
        client.begin(Isolation.READ_COMMITTED);
      }
      for (int round = 0; round < ROUNDS; round++) {
        String name = "'n" + round + "'";
        List<Future<Integer>> outcomes = new ArrayList<>();
        for (SqlClient client : clients) {
          outcomes.add(client.start(() -> grant(client, name)));
        }
        for (Future<Integer> outcome : outcomes) {
          assertThat(outcome(outcome)).isZero();
        }
      }
      assertThat(clients.get(0).ask("SELECT sum(fence) FROM lease", 1))
          .containsExactly("" + CLIENTS * ROUNDS);
    } finally {
      for (SqlClient client : clients) {
        client.close();
      }
    }
    page.append(
        """

        ## Why Leasehold's statements do not deadlock

        A deadlock needs two transactions, each of which holds a lock that the other wants.

        - The common grant, and every release, is one statement that commits by itself and updates one existing row by its primary
          key. It never holds one lock while it waits for another.
        - A transaction of several statements locks the name's row before anything else of that name, so two transactions for one name
          cannot each lock half.
        - A batch that renews leases locks its rows with `SKIP LOCKED`, so it never waits.
        - In READ COMMITTED no transaction holds a gap, so an insert waits only for another insert of the same name.
        - A name without a row gets one by a plain `INSERT`. The second inserter gets error 1062, rolls back, and starts again with the
          row that now exists. If it continued it could deadlock: the error leaves a shared lock, a third inserter has one too, and both
          want to write.
        - A release keeps the row for the next grant, so no client meets a deleted row. Only rows that were idle for long are removed.

        """);
    page.append("In the test ").append(CLIENTS).append(" clients at once create the same ");
    page.append(ROUNDS).append(" new names like this and update them, without a deadlock.\n");
  }

  /** As the store does it for a name that may have no row. */
  private static int grant(SqlClient client, String name) throws SQLException {
    int error;
    do {
      error = 0;
      if (client.ask("SELECT fence FROM lease WHERE name = " + name + " FOR UPDATE", 1).isEmpty()) {
        client.run("SELECT floor FROM meta LOCK IN SHARE MODE");
        error = client.outcome("INSERT INTO lease VALUES (" + name + ", 0)");
      }
      if (error == 0) {
        error = client.outcome("UPDATE lease SET fence = fence + 1 WHERE name = " + name);
        client.commit();
      } else {
        client.rollback();
      }
    } while (error == DUPLICATE);
    return error;
  }

  private void threeInserters(SqlClient a, SqlClient b, SqlClient c) throws Exception {
    page.append(
        """

        One case remains for inserters to handle: **the first of three inserters is rolled back**, because its connection died. Then both
        waiting inserters hold the gap, shared, and want to insert:

        | step | A has | B has | C has |
        |---|---|---|---|
        """);
    String insert = "INSERT INTO lease VALUES ('z', 0)";
    for (SqlClient client : List.of(a, b, c)) {
      client.begin(Isolation.READ_COMMITTED);
    }
    a.run(insert);
    Future<Integer> second = b.start(insert);
    locks.awaitWait(b);
    Future<Integer> third = c.start(insert);
    locks.awaitWait(c);
    step("all: `" + insert + "`", a, b, c);
    a.rollback();
    assertThat(List.of(outcome(second), outcome(third))).containsExactlyInAnyOrder(0, DEADLOCK);
    b.rollback();
    c.rollback();
    page.append(
        """
        | A is rolled back | nothing | succeeds, or **error 1213** | **error 1213**, or succeeds |

        The statement that got the error changed nothing, so it is safe to repeat it at once.
        """);
  }

  private void step(String what, SqlClient... clients) throws SQLException {
    page.append("| ").append(what);
    for (SqlClient client : clients) {
      page.append(" | ").append(String.join("<br>", locks.of(client)));
    }
    page.append(" |\n");
  }

  private static int outcome(Future<Integer> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }
}
