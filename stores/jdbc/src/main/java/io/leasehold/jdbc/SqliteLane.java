package io.leasehold.jdbc;

import io.leasehold.spi.support.Log;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.BusyHandler;

/** A connection to a file and who may use it. Guarded by its lock. */
final class SqliteLane {
  final ReentrantLock lock = new ReentrantLock();
  @Nullable Session session;
  SqliteFile.Identity identity = SqliteFile.Identity.NONE;

  /**
   * The path leads to another file than the connection: whatever was done there counts for nothing.
   */
  static final class ReplacedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Pauses while the file is busy; false once the time of the request that has the lane is over.
   */
  @Nullable BooleanSupplier pause;

  /** SQLite looks again inside its statement, which costs far less than a statement that fails. */
  private final class Pauses extends BusyHandler {
    @Override
    protected int callback(int looks) {
      BooleanSupplier current = pause;
      return current != null && current.getAsBoolean() ? 1 : 0;
    }
  }

  /** A new connection; nothing was done with it. */
  Session connect(SqliteFile file, StatementHook hook) throws SQLException {
    Properties settings = new Properties();
    // Read and write, the name is a URI; never create: that is done with the right permissions. No
    // waiting inside SQLite.
    settings.setProperty("open_mode", Integer.toString(0x2 | 0x40));
    settings.setProperty("busy_timeout", "0");
    // No date is ever read: what the driver prepares for its usual format takes it milliseconds
    settings.setProperty("date_string_format", "S");
    Connection connection = Drivers.connect("org.sqlite.JDBC", file.url(), settings);
    try {
      pauseInside(connection);
      hook.opened(connection);
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
    return new Session(connection, hook);
  }

  private void pauseInside(Connection connection) throws SQLException {
    try {
      BusyHandler.setHandler(connection, new Pauses());
    } catch (LinkageError | ClassCastException e) {
      // Then a statement that finds the file busy fails, and is repeated
      Log.debug("the SQLite driver comes from another class loader", e);
    }
  }

  void requireCurrent() {
    if (!identity.isCurrent()) {
      throw new ReplacedException();
    }
  }

  void discard() {
    Session old = session;
    session = null;
    if (old != null) {
      close(old);
    }
  }

  static void close(Session session) {
    try {
      session.close();
    } catch (SQLException e) {
      Log.debug("closing a connection failed", e);
    }
  }
}
