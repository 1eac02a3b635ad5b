package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One connection with its prepared statements, each prepared once. Parameters are named, as {@code
 * :name}. Not thread-safe.
 */
final class Session implements AutoCloseable {
  private static final Pattern PARAMETER = Pattern.compile(":([a-z]+)");

  private final Connection connection;
  private final StatementHook hook;
  private final Map<String, Prepared> prepared = new HashMap<>();
  private Map<String, Object> common = Map.of();

  Session(Connection connection, StatementHook hook) {
    this.connection = connection;
    this.hook = hook;
  }

  /** Reads one row of an answer. */
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private record Prepared(PreparedStatement statement, List<String> names) {}

  /** Sets what every statement from now on may use beside its own values: the time. */
  void common(Map<String, Object> values) {
    common = values;
  }

  /** Runs a statement that answers with rows. */
  <T> List<T> query(String sql, Map<String, Object> values, RowReader<T> reader)
      throws SQLException {
    PreparedStatement statement = bound(sql, values);
    hook.before(sql);
    List<T> rows = new ArrayList<>();
    // Read to the end: only then has a changing statement with RETURNING been carried out.
    try (ResultSet answer = statement.executeQuery()) {
      while (answer.next()) {
        rows.add(reader.read(answer));
      }
    }
    hook.after(sql);
    return rows;
  }

  /** Runs a statement that answers with the number of rows it changed. */
  int update(String sql, Map<String, Object> values) throws SQLException {
    PreparedStatement statement = bound(sql, values);
    hook.before(sql);
    int changed = statement.executeUpdate();
    hook.after(sql);
    return changed;
  }

  /** Runs a statement without values. */
  void run(String sql) throws SQLException {
    PreparedStatement statement = bound(sql, Map.of());
    hook.before(sql);
    statement.execute();
    hook.after(sql);
  }

  private PreparedStatement bound(String sql, Map<String, Object> values) throws SQLException {
    Prepared found = prepared.get(sql);
    if (found == null) {
      found = prepare(sql);
      prepared.put(sql, found);
    }
    int index = 1;
    for (String name : found.names()) {
      Object value = values.containsKey(name) ? values.get(name) : common.get(name);
      if (value == null) {
        throw new IllegalArgumentException("no value for " + name + " in " + sql);
      }
      found.statement().setObject(index++, value);
    }
    return found.statement();
  }

  private Prepared prepare(String sql) throws SQLException {
    List<String> names = new ArrayList<>();
    Matcher parameters = PARAMETER.matcher(sql);
    String plain =
        parameters.replaceAll(
            found -> {
              names.add(found.group(1));
              return "?";
            });
    return new Prepared(connection.prepareStatement(plain), names);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
