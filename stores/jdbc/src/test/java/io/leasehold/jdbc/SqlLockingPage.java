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
      // What somebody may still read is not purged: the deleted row stays, marked
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

        What MySQL 9 was seen to lock, statement by statement, in `performance_schema.data_locks`. The page is made by a test
        (`SqlLockingPageTest`), which fails when the server does something else. The rows are these, in `item`:

        ```sql
        CREATE TABLE item\
        """);
    page.append(COLUMNS).append(";\nINSERT INTO item").append(FIVE).append(";\n```\n");
    page.append(
        """

        `gone` is the same, but row 40 was deleted a moment ago: its entries are marked, and not yet purged. `few` has ten rows:
        ids 10 to 100, kinds 1 to 10. `lease` is like Leasehold's table of leases. An entry of an index is named by its values, then
        the primary key.

        | here | `lock_mode` | means |
        |---|---|---|
        | table `IX` | `IX` | some row of the table is, or may be, locked; it conflicts with `LOCK TABLES` and DDL only |
        | row 20 | `X,REC_NOT_GAP` | that entry alone |
        | gap before 20 | `X,GAP` | nobody inserts between the entry before and 20; two may have it at once, even the same |
        | row 20 with gap before | `X` | both: a *next-key lock* |
        | gap at the end | `X` on `supremum pseudo-record` | nobody inserts after the last entry |
        | an insert into the gap | `X,INSERT_INTENTION` | has to wait for whoever else has the gap |
        | shared … | `S…` | several may have it |

        *Access* is what `EXPLAIN` says: `const` a row by a unique key, `ref` and `range` part of an index, `ALL` and `index` every row;
        `-` no row was found while planning, or there is nothing to find.
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
