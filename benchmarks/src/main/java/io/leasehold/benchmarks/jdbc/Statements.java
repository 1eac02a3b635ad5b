package io.leasehold.benchmarks.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection for each thread, on which a statement is prepared once. */
public final class Statements {
  private final String url;
  private final ThreadLocal<Mine> mine = ThreadLocal.withInitial(this::connect);

  private record Mine(Connection connection, Map<String, PreparedStatement> prepared) {}

  /** On a database. */
  public Statements(String url) {
    this.url = url;
  }

  private Mine connect() {
    try {
      return new Mine(DriverManager.getConnection(url), new HashMap<>());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The calling thread's. */
  public Connection connection() {
    return mine.get().connection();
  }

  /** Changes something; how many rows. */
  public int update(String sql, Object... values) {
    try {
      return prepared(sql, values).executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Asks for a number; 0 if there is none. */
  public long ask(String sql, Object... values) {
    try (ResultSet answer = prepared(sql, values).executeQuery()) {
      return answer.next() ? answer.getLong(1) : 0;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Closes the calling thread's connection. */
  public void leave() {
    try {
      connection().close();
      mine.remove();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private PreparedStatement prepared(String sql, Object... values) throws SQLException {
    PreparedStatement found = mine.get().prepared().get(sql);
    if (found == null) {
      found = connection().prepareStatement(sql);
      mine.get().prepared().put(sql, found);
    }
    for (int i = 0; i < values.length; i++) {
      found.setObject(i + 1, values[i]);
    }
    return found;
  }
}
