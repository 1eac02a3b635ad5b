package io.leasehold.jdbc;

import java.sql.SQLException;

/** Opens connections, in bounded time. */
@FunctionalInterface
interface LaneSource {
  Session open() throws SQLException;

  /** Opens one that is there to listen. */
  default Session openListening() throws SQLException {
    return open();
  }

  /** Ends one, whatever state it is in. */
  default void end(Session session, Dialect dialect) throws SQLException {
    dialect.end(session.connection());
  }

  /**
   * Whether it lends: it may have none when one is needed, so those that it gave are kept, and kept
   * in use.
   */
  default boolean lends() {
    return false;
  }
}
