package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;

/*
 * Version 1 knew exclusive leases only. Such a file is brought up to date when it is opened: leases
 * and numbers stay, waiters have to come again. A process of the earlier version that is using it
 * fails with its next request, and cannot open it again: it would not see shared leases.
 */

/** Whether a SQLite file is ours and of a version we know, and its tables. */
final class SqliteSchema {
  private static final int APPLICATION_ID = 0x4c656173;
  static final int VERSION = 2;

  /** So that numbers rise over a file that was deleted and made again. */
  private static final String FIRST_FLOOR =
      "INSERT INTO leasehold_meta (one, floor, swept) VALUES (1, :floor, '') ON CONFLICT DO NOTHING";

  private final SqliteFile file;
  private final Clock clock;

  SqliteSchema(SqliteFile file, Clock clock) {
    this.file = file;
    this.clock = clock;
  }

  /** Prepares a new connection; after a failure it must be closed, which undoes what was begun. */
  void setUp(Session session) throws SQLException {
    // In one snapshot: another process may be making the tables.
    session.run("BEGIN");
    boolean isOld = requireOwn(session);
    session.run("COMMIT");
    session.query("PRAGMA journal_mode = WAL", Map.of(), row -> row.getString(1)).stream()
        .filter(mode -> !mode.equals("wal"))
        .findAny()
        .ifPresent(
            mode -> {
              throw new StoreException(
                  Failure.REFUSED,
                  file.message("cannot use a write-ahead log there, only " + mode),
                  null);
            });
    session.run("PRAGMA synchronous = FULL");
    if (isOld) {
      session.run("BEGIN IMMEDIATE");
      // Another process may have made them meanwhile.
      if (requireOwn(session)) {
        createTables(session);
      }
      session.run("COMMIT");
    }
  }

  /** Whether tables are missing; refuses what is not ours. */
  private boolean requireOwn(Session session) throws SQLException {
    long application = number(session, "PRAGMA application_id");
    long version = number(session, "PRAGMA user_version");
    if (application == APPLICATION_ID && version <= VERSION) {
      return version < VERSION;
    }
    if (application == APPLICATION_ID) {
      throw new StoreException(
          Failure.REFUSED,
          file.message(
              "has schema version "
                  + version
                  + ", but this version of Leasehold knows only "
                  + VERSION
                  + "; upgrade it"),
          null);
    }
    if (application != 0
        || version != 0
        || number(session, "SELECT count(*) FROM sqlite_schema") > 0) {
      throw new StoreException(
          Failure.REFUSED,
          file.message("is a database of another application; name another file"),
          null);
    }
    return true;
  }

  private static long number(Session session, String sql) throws SQLException {
    return session.query(sql, Map.of(), row -> row.getLong(1)).get(0);
  }

  private void createTables(Session session) throws SQLException {
    for (String statement : ddl().replaceAll("--[^\n]*", "").split(";", -1)) {
      if (!statement.isBlank()) {
        session.run(statement.strip());
      }
    }
    session.update(FIRST_FLOOR, Map.of("floor", Math.max(0, clock.wallMillis())));
    session.run("PRAGMA user_version = " + VERSION);
  }

  /** What makes an empty file one of ours; the rest is done when it is first opened. */
  static String ddl() {
    try (InputStream schema = SqliteSchema.class.getResourceAsStream("schema/sqlite.sql")) {
      if (schema == null) {
        throw new IllegalStateException("schema/sqlite.sql is missing from the jar");
      }
      String tables = new String(schema.readAllBytes(), StandardCharsets.UTF_8);
      return tables + "\nPRAGMA application_id = " + APPLICATION_ID + ";\n";
    } catch (IOException e) {
      throw new IllegalStateException("schema/sqlite.sql cannot be read from the jar", e);
    }
  }
}
