package io.leasehold.jdbc;

import io.leasehold.jdbc.SqlClient.Isolation;
import io.leasehold.servers.SqlServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Makes docs/sql-locking.md: each table is asked of the server, the prose stands beside it. */
final class SqlLockingPage {
  /** Five rows, ten apart, and a copy in which 40 is deleted; ten rows in another. */
  private static final String COLUMNS =
      """
       (
        id INT PRIMARY KEY,
        code VARCHAR(9) NOT NULL UNIQUE,
        kind INT NOT NULL,
        note VARCHAR(9) NOT NULL,
        KEY kind (kind)
      )""";

  private static final String LEASE =
      """
      CREATE TABLE lease (
        name VARCHAR(255) COLLATE utf8mb4_bin PRIMARY KEY,
        fence BIGINT NOT NULL,
        expires DATETIME(6) NOT NULL
      )""";

  private static final String FIVE =
      " VALUES (10, '10', 1, 'a'), (20, '20', 2, 'b'), (30, '30', 2, 'c'), (40, '40', 3, 'd'),"
          + " (50, '50', 4, 'e')";

  private final SqlServer server;
  private final InnodbLocks locks;
  private final StringBuilder page = new StringBuilder();

  SqlLockingPage(SqlServer server, InnodbLocks locks) {
    this.server = server;
    this.locks = locks;
  }

  String made() throws Exception {
    String url = server.newDatabase();
    try (SqlClient setup = new SqlClient(url);
        SqlClient reader = new SqlClient(url);
        SqlClient client = new SqlClient(url)) {
      create(setup);
      // A row that a reader may still see is not purged: it stays, marked as deleted
      reader.begin(Isolation.REPEATABLE_READ);
      reader.run("SELECT * FROM gone");
      setup.run("DELETE FROM gone WHERE id = 40");
      introduction();
      for (SqlLockingCases group : SqlLockingCases.values()) {
        page.append("\n## ").append(group.title()).append("\n\n").append(group.text()).append('\n');
        tabulate(setup, client, group.statements());
      }
    }
    new SqlLockingScenes(server, locks, page).play();
    return page.toString();
  }

  private static void create(SqlClient setup) throws SQLException {
    StringBuilder ten = new StringBuilder();
    for (int i = 1; i <= 10; i++) {
      String row = "(#0, '#0', #, 'a')".replace("#", String.valueOf(i));
      ten.append(i == 1 ? " VALUES " : ", ").append(row);
    }
    for (String table : List.of("item", "gone", "few")) {
      setup.run("CREATE TABLE " + table + COLUMNS);
      setup.run("INSERT INTO " + table + (table.equals("few") ? ten : FIVE));
      setup.run("ANALYZE TABLE " + table);
    }
    setup.run(LEASE);
    setup.run(
        "INSERT INTO lease VALUES ('free', 7, '2000-01-01'), ('held', 7, '9999-01-01'),"
            + " ('other', 7, '2000-01-01')");
    setup.run("ANALYZE TABLE lease");
  }

  private void introduction() {
    page.append(
        """
        # What InnoDB locks

        This page shows which locks MySQL 9 takes, statement by statement, as `performance_schema.data_locks` lists them. A test
        (`SqlLockingPageTest`) generates the page from a running server, and fails when the server behaves differently. The table `item`
        has these rows:

        ```sql
        CREATE TABLE item\
        """);
    page.append(COLUMNS).append(";\nINSERT INTO item").append(FIVE).append(";\n```\n");
    page.append(
        """

        `gone` is the same table, except that row 40 was just deleted: its entries are marked but not yet purged. `few` has ten rows:
        ids 10 to 100, kinds 1 to 10. `lease` resembles Leasehold's table of leases. An index entry is written as its values, then the
        primary key.

        | on this page | `lock_mode` | meaning |
        |---|---|---|
        | table `IX` | `IX` | a row of the table is, or may be, locked; it conflicts only with `LOCK TABLES` and DDL |
        | row 20 | `X,REC_NOT_GAP` | only that entry |
        | gap before 20 | `X,GAP` | no other transaction inserts between the previous entry and 20; several transactions may hold this lock at once |
        | row 20 with gap before | `X` | both: a *next-key lock* |
        | gap at the end | `X` on `supremum pseudo-record` | no other transaction inserts after the last entry |
        | an insert into the gap | `X,INSERT_INTENTION` | an insert that waits for the other holders of the gap |
        | shared … | `S…` | several transactions may hold it |

        *Access* is the access type that `EXPLAIN` reports: `const` is a row by a unique key, `ref` and `range` are part of an index, `ALL` and
        `index` are every row; `-` means that the optimizer found no row, or that there is nothing to find.
        """);
  }

  private void tabulate(SqlClient setup, SqlClient client, List<String> statements)
      throws SQLException {
    page.append("\n| statement | access | READ COMMITTED | REPEATABLE READ |\n|---|---|---|---|\n");
    for (String sql : statements) {
      List<String> cells = new ArrayList<>();
      cells.add("`" + sql + "`");
      cells.add(access(setup, sql));
      for (Isolation isolation : Isolation.values()) {
        client.begin(isolation);
        int error = client.outcome(sql);
        List<String> locked = new ArrayList<>(locks.of(client));
        if (error != 0) {
          locked.add("(error " + error + ")");
        }
        cells.add(String.join("<br>", locked));
        client.rollback();
      }
      page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
  }

  private static String access(SqlClient setup, String sql) throws SQLException {
    String explain = "EXPLAIN FORMAT=TRADITIONAL " + sql;
    String type = setup.ask(explain, 5).get(0);
    String key = setup.ask(explain, 7).get(0);
    boolean insert = sql.startsWith("INSERT");
    return insert || type.equals("null")
        ? "-"
        : type + (key.equals("null") ? "" : " `" + key + "`");
  }
}
