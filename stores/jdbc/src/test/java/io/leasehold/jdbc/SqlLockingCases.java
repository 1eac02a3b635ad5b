package io.leasehold.jdbc;

import java.util.List;

/** The statements of docs/sql-locking.md whose locks are asked for, and what they show. */
enum SqlLockingCases {
  PRIMARY_KEY(
      "By primary key",
      """
      A row that is there: that row, and nothing else, in both isolations. One that is not there: nothing in READ COMMITTED; in
      REPEATABLE READ the gap where it would be, so that it stays away. A row that is deleted and not yet purged is locked like a row
      in REPEATABLE READ, and let go in READ COMMITTED. A range that goes past the last row that it finds locks the gap behind that too.
      """,
      "SELECT * FROM item WHERE id = 20 FOR UPDATE",
      "SELECT * FROM item WHERE id = 25 FOR UPDATE",
      "SELECT * FROM item WHERE id = 60 FOR UPDATE",
      "SELECT * FROM gone WHERE id = 40 FOR UPDATE",
      "SELECT * FROM item WHERE id IN (20, 30) FOR UPDATE",
      "SELECT * FROM item WHERE id BETWEEN 20 AND 35 FOR UPDATE"),
  UNIQUE(
      "By a unique index",
      """
      Two locks for one row: the entry of the index, then the row itself. So two statements that come to a row by different indexes
      lock in different orders, and can deadlock. A deleted entry does not count as unique: in REPEATABLE READ the gaps on both
      sides of it are locked.
      """,
      "SELECT * FROM item WHERE code = '20' FOR UPDATE",
      "SELECT * FROM item WHERE code = '25' FOR UPDATE",
      "SELECT * FROM gone WHERE code = '40' FOR UPDATE"),
  NON_UNIQUE(
      "By an index that is not unique",
      """
      In REPEATABLE READ every gap in which another such entry could appear, before, between and behind those found: an insert of a
      neighbouring value has to wait. In READ COMMITTED the entries and their rows.
      """,
      "SELECT * FROM item FORCE INDEX (kind) WHERE kind = 2 FOR UPDATE",
      "SELECT * FROM item FORCE INDEX (kind) WHERE kind = 5 FOR UPDATE",
      "SELECT * FROM gone FORCE INDEX (kind) WHERE kind = 3 FOR UPDATE"),
  NO_INDEX(
      "Without an index",
      """
      Every row is read, so in REPEATABLE READ every row and every gap is locked, also where nothing was found: nobody writes to the
      table. READ COMMITTED lets go of the rows that do not match, but only after it had each of them: see
      [who waits](#who-waits).
      """,
      "SELECT * FROM item WHERE note = 'b' FOR UPDATE",
      "SELECT * FROM item WHERE note = 'z' FOR UPDATE",
      "UPDATE item SET note = 'x' WHERE note = 'b'"),
  CONVERSION(
      "A number compared with a string",
      """
      `code` has a unique index, and a number cannot use it: many strings are the number 20 (`'20'`, `'020'`, `'20.0'`). Every row
      is read and locked, as without an index.
      """,
      "SELECT * FROM item WHERE code = 20 FOR UPDATE",
      "SELECT * FROM item WHERE code = 25 FOR UPDATE",
      "UPDATE item SET note = 'x' WHERE code = 20"),
  SMALL_TABLE(
      "A small table",
      """
      The index is the optimizer's choice, by cost, and the locks follow the choice. MySQL 9 takes it with five rows; with ten, of
      which most match, it scans, and in REPEATABLE READ locks the row that does not match, and all gaps. As the table grows and its
      statistics change the same statement locks something else. Only one value of a primary or unique key is always looked up by it.
      """,
      "SELECT * FROM item WHERE kind >= 3 FOR UPDATE",
      "SELECT * FROM few WHERE kind >= 2 FOR UPDATE",
      "SELECT * FROM few FORCE INDEX (kind) WHERE kind >= 2 FOR UPDATE"),
  WRITES(
      "Writes",
      """
      `UPDATE` and `DELETE` lock as `SELECT … FOR UPDATE` does. The lock of an insert is not listed until somebody else wants the row: it
      is in the row. A duplicate leaves a shared lock on what is there already, and for a unique index also on the gap, in both
      isolations; `ON DUPLICATE KEY UPDATE` an exclusive one. An insert where a row was just deleted locks what is marked, and gaps.
      """,
      "UPDATE item SET note = 'x' WHERE id = 20",
      "UPDATE item SET note = 'x' WHERE id = 25",
      "DELETE FROM item WHERE id = 20",
      "INSERT INTO item VALUES (25, '25', 2, 'z')",
      "INSERT INTO item VALUES (20, '99', 2, 'z')",
      "INSERT INTO item VALUES (99, '20', 2, 'z')",
      "INSERT IGNORE INTO item VALUES (20, '99', 2, 'z')",
      "INSERT INTO item VALUES (20, '99', 2, 'z') ON DUPLICATE KEY UPDATE note = 'y'",
      "INSERT INTO gone VALUES (40, '40', 2, 'z')"),
  LEASES(
      "What Leasehold does",
      """
      One row of one table by its primary key, in READ COMMITTED. A lock that is held, or has no row yet, leaves nothing locked. In
      REPEATABLE READ a lock without a row would keep its neighbours from getting theirs.
      """,
      "UPDATE lease SET fence = fence + 1 WHERE name = 'free' AND expires < utc_timestamp(6)",
      "UPDATE lease SET fence = fence + 1 WHERE name = 'held' AND expires < utc_timestamp(6)",
      "UPDATE lease SET fence = fence + 1 WHERE name = 'none' AND expires < utc_timestamp(6)",
      "SELECT * FROM lease WHERE name = 'none' FOR UPDATE",
      "INSERT INTO lease VALUES ('none', 1, utc_timestamp(6))",
      "INSERT INTO lease VALUES ('held', 1, utc_timestamp(6))");

  private final String title;
  private final String text;
  private final String statements;

  SqlLockingCases(String title, String text, String... statements) {
    this.title = title;
    this.text = text;
    this.statements = String.join("\n", statements);
  }

  String title() {
    return title;
  }

  String text() {
    return text.stripTrailing();
  }

  List<String> statements() {
    return statements.lines().toList();
  }
}
