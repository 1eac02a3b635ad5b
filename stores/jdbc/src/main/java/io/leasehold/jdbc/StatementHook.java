package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Is told of every statement; for tests that count statements, or stop between two of them. */
interface StatementHook {
  /** Does nothing. */
  StatementHook NONE =
      new StatementHook() {
        @Override
        public void before(String sql) {}

        @Override
        public void after(String sql) {}
      };

  /** A connection was opened and nothing was done with it. */
  default void opened(Connection connection) throws SQLException {}

  /** Before the statement is sent. */
  void before(String sql);

  /** After the database has carried it out. */
  void after(String sql);
}
