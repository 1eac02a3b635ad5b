package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Looks for what could break the promises of a lock file. */
final class SqliteDiagnosis implements Session.Work<List<Finding>> {
  private static final long MEGABYTE = 1 << 20;
  private static final long LITTLE_SPACE = 100 * MEGABYTE;
  private static final long NO_SPACE = MEGABYTE;
  private static final long LARGE = 1024 * MEGABYTE;
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "rootfs");
  private static final int FULL = 2;

  private final SqliteFile file;
  private final HostClock clock;

  SqliteDiagnosis(SqliteFile file, HostClock clock) {
    this.file = file;
    this.clock = clock;
  }

  @Override
  public List<Finding> run(Session session) throws SQLException {
    List<Finding> found = new ArrayList<>();
    found.add(integrity(session));
    found.add(schema(session));
    found.add(persistence(session));
    found.add(clock());
    try {
      FileStore disk = file.fileStore();
      found.add(fileSystem(disk.type()));
      found.add(space(disk.getUsableSpace()));
      found.add(size(file.size()));
      found.add(access(file.openToOthers()));
    } catch (IOException e) {
      found.add(
          new Finding(
              Level.ERROR, "file", file.message("cannot be looked at: " + e + "; was it moved?")));
    }
    return found;
  }

  private Finding integrity(Session session) throws SQLException {
    String answer;
    try {
      answer = text(session, "PRAGMA quick_check(1)");
    } catch (SQLException e) {
      if (SqliteErrors.isBusy(e)) {
        throw e;
      }
      answer = String.valueOf(e.getMessage());
    }
    return answer.equals("ok")
        ? new Finding(Level.OK, "integrity", "the quick check found nothing")
        : new Finding(
            Level.ERROR,
            "integrity",
            file.message(
                "is damaged: "
                    + answer
                    + "; stop everything that uses it, move it away and start again"));
  }

  private Finding schema(Session session) throws SQLException {
    String version = text(session, "PRAGMA user_version");
    return version.equals(Integer.toString(SqliteSchema.VERSION))
        ? new Finding(Level.OK, "schema", "version " + version)
        : new Finding(
            Level.ERROR,
            "schema",
            "version "
                + version
                + ", but this version of Leasehold knows "
                + SqliteSchema.VERSION
                + "; use the same version everywhere");
  }

  private static Finding persistence(Session session) throws SQLException {
    String journal = text(session, "PRAGMA journal_mode");
    String synchronous = text(session, "PRAGMA synchronous");
    boolean isSafe = journal.equals("wal") && synchronous.equals(Integer.toString(FULL));
    String seen = "journal_mode=" + journal + ", synchronous=" + synchronous;
    return isSafe
        ? new Finding(Level.OK, "persistence", "write-ahead log, flushed before every answer")
        : new Finding(
            Level.ERROR,
            "persistence",
            seen + ": must be wal and " + FULL + "; who changed it? stop that, and open it again");
  }

  private Finding clock() {
    return clock.isWall()
        ? new Finding(
            Level.WARNING,
            "clock",
            "leases expire by the wall clock: a step of it ends them early, or lets them live"
                + " longer; let it be corrected by slewing only")
        : new Finding(Level.OK, "clock", "the host's monotonic clock, boot " + clock.epoch());
  }

  static Finding fileSystem(String type) {
    return IN_MEMORY.contains(type.toLowerCase(Locale.ROOT))
        ? new Finding(
            Level.WARNING,
            "file system",
            type + ": it is in memory, and gone after a reboot; put the file on a disk")
        : new Finding(Level.OK, "file system", type);
  }

  static Finding space(long bytes) {
    String left = bytes / MEGABYTE + " MB left";
    if (bytes >= LITTLE_SPACE) {
      return new Finding(Level.OK, "disk space", left);
    }
    return new Finding(
        bytes < NO_SPACE ? Level.ERROR : Level.WARNING,
        "disk space",
        left + ": on a full disk nothing is granted or renewed; make room");
  }

  static Finding size(long bytes) {
    String seen = (bytes + MEGABYTE - 1) / MEGABYTE + " MB";
    return bytes < LARGE
        ? new Finding(Level.OK, "size", seen)
        : new Finding(
            Level.WARNING,
            "size",
            seen
                + ": very many lock names, or a reader that keeps a transaction open; close that, or"
                + " move the file away while nothing uses it");
  }

  static Finding access(List<Path> openToOthers) {
    return openToOthers.isEmpty()
        ? new Finding(Level.OK, "access", "other users of the host may not write it")
        : new Finding(
            Level.WARNING,
            "access",
            "every user of the host may write "
                + openToOthers.stream().map(Path::toString).collect(Collectors.joining(" and "))
                + ": any of them can end the locks, or replace the file; take the permission away"
                + " (chmod o-w)");
  }

  private static String text(Session session, String pragma) throws SQLException {
    return session.query(pragma, Map.of(), row -> row.getString(1)).get(0);
  }
}
