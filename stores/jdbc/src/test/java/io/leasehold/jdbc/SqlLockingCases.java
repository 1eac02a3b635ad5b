package io.leasehold.jdbc;

import java.util.List;

/** The statements of docs/sql-locking.md whose locks are asked for, and what they show. */
enum SqlLockingCases {
  PRIMARY_KEY(
      "By primary key",
      """
      A statement locks the row that it finds, and nothing else, in both isolation levels. If there is no such row, it locks nothing in READ
      COMMITTED; in REPEATABLE READ it locks the gap where the row would be, so that no row appears there. A row that is deleted and not yet
      purged is locked like any other row in REPEATABLE READ, and unlocked again in READ COMMITTED. In REPEATABLE READ a range that passes
      the last row it finds also locks the gap behind that row.
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
      A statement takes two locks for one row: the entry of the index, then the row itself. So two statements that reach a row through
      different indexes lock in different orders, and can deadlock. A deleted entry does not count as unique: in REPEATABLE READ the gaps on
      both sides of it are locked.
      """,
      "SELECT * FROM item WHERE code = '20' FOR UPDATE",
      "SELECT * FROM item WHERE code = '25' FOR UPDATE",
      "SELECT * FROM gone WHERE code = '40' FOR UPDATE"),
  NON_UNIQUE(
      "By an index that is not unique",
      """
      In REPEATABLE READ a statement locks every gap in which another such entry could appear: before, between and behind the entries that it
      finds. An insert of a neighbouring value has to wait. In READ COMMITTED it locks only the entries and their rows.
      """,
      "SELECT * FROM item FORCE INDEX (kind) WHERE kind = 2 FOR UPDATE",
      "SELECT * FROM item FORCE INDEX (kind) WHERE kind = 5 FOR UPDATE",
      "SELECT * FROM gone FORCE INDEX (kind) WHERE kind = 3 FOR UPDATE"),
  NO_INDEX(
      "Without an index",
      """
      The server reads every row, so in REPEATABLE READ it locks every row and every gap, even if nothing matches: no other transaction can
      write to the table. READ COMMITTED unlocks the rows that do not match, but only after it has locked each of them: see
      [which statements wait](#which-statements-wait).
      """,
      "SELECT * FROM item WHERE note = 'b' FOR UPDATE",
      "SELECT * FROM item WHERE note = 'z' FOR UPDATE",
      "UPDATE item SET note = 'x' WHERE note = 'b'"),
  CONVERSION(
      "A number compared with a string",
      """
      `code` has a unique index, but a comparison with a number cannot use it, because many strings equal the number 20 (`'20'`, `'020'`,
      `'20.0'`). The server reads and locks every row, as without an index.
      """,
      "SELECT * FROM item WHERE code = 20 FOR UPDATE",
      "SELECT * FROM item WHERE code = 25 FOR UPDATE",
      "UPDATE item SET note = 'x' WHERE code = 20"),
  SMALL_TABLE(
      "A small table",
      """
      The optimizer chooses the index by cost, and the locks follow that choice. MySQL 9 uses the index of the table with five rows. In the
      table with ten rows, most of which match, it scans, and in REPEATABLE READ it locks the row that does not match, and all gaps. As a
      table grows and its statistics change, the same statement locks other rows. Only a single value of a primary or unique key is always
      looked up through that key.
      """,
      "SELECT * FROM item WHERE kind >= 3 FOR UPDATE",
      "SELECT * FROM few WHERE kind >= 2 FOR UPDATE",
      "SELECT * FROM few FORCE INDEX (kind) WHERE kind >= 2 FOR UPDATE"),
  WRITES(
      "Writes",
      """
      `UPDATE` and `DELETE` lock as `SELECT … FOR UPDATE` does. The lock of an insert is part of the row and is not listed until another
      transaction wants the row. A duplicate key leaves a shared lock on the existing row, and for a unique index also on the gap, in both
      isolation levels; `ON DUPLICATE KEY UPDATE` leaves an exclusive lock. An insert in the place of a row that was just deleted locks the
      marked entries, and gaps.
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
      It locks one row of one table, by its primary key, in READ COMMITTED. An attempt on a lock that is held, or that has no row yet, leaves
      nothing locked. In REPEATABLE READ an attempt on a lock without a row would keep neighbouring locks from getting their rows.
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
