package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.sql.SQLException;

/** What SQLite's result codes mean for a request. */
final class SqliteErrors {
  private static final int PERM = 3;
  private static final int BUSY = 5;
  private static final int LOCKED = 6;
  private static final int READONLY = 8;
  private static final int IOERR = 10;
  private static final int CORRUPT = 11;
  private static final int FULL = 13;
  private static final int PROTOCOL = 15;
  private static final int CONSTRAINT = 19;
  private static final int NOTADB = 26;

  private SqliteErrors() {}

  /**
   * Another connection is writing, or recovering the log, or too many begin at once: nothing was
   * done.
   */
  static boolean isBusy(SQLException e) {
    return switch (e.getErrorCode()) {
      case BUSY, LOCKED, PROTOCOL -> true;
      default -> false;
    };
  }

  /**
   * Whether a failed COMMIT may have reached the disk. A full disk is found before the commit
   * record is complete, and a record that is not complete is never recovered; after any other error
   * the record may be there although it could not be made durable.
   */
  static boolean leavesCommitOpen(SQLException e) {
    return !isBusy(e) && e.getErrorCode() != FULL && e.getErrorCode() != READONLY;
  }

  static StoreException unknown(SqliteFile file, SQLException e) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, file.message("failed while it was written: " + e.getMessage()), e);
  }

  /** An error before COMMIT: whatever the transaction did is undone. */
  static StoreException notApplied(SqliteFile file, SQLException e) {
    return switch (e.getErrorCode()) {
      case NOTADB -> refused(file, "is not a lock file; move it away or name another", e);
      case CORRUPT, CONSTRAINT ->
          refused(file, "is damaged; move it away while nothing uses it: " + e.getMessage(), e);
      case READONLY, PERM -> refused(file, "may not be written: " + e.getMessage(), e);
      case FULL -> unavailable(file, "cannot grow: the disk is full", e);
      case IOERR -> unavailable(file, "cannot be read or written: " + e.getMessage(), e);
      default ->
          Drivers.isMissing(e)
              ? refused(
                  file, "needs SQLite's driver on the class path: add org.xerial:sqlite-jdbc", e)
              : unavailable(file, "cannot be used: " + why(e), e);
    };
  }

  private static String why(SQLException e) {
    String cause = e.getCause() == null ? "" : ": " + e.getCause().getMessage();
    return e.getMessage() + cause;
  }

  private static StoreException refused(SqliteFile file, String what, SQLException e) {
    return new StoreException(Failure.REFUSED, file.message(what), e);
  }

  private static StoreException unavailable(SqliteFile file, String what, SQLException e) {
    return new StoreException(Failure.UNAVAILABLE, file.message(what), e);
  }
}
