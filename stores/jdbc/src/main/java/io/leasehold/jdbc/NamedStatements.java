package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of one connection, each prepared once. Parameters are named, as {@code :name}; one
 * whose value is a list stands for all its elements, separated by commas, with the {@code CAST}
 * around it if there is one. Not thread-safe.
 */
final class NamedStatements {
  private static final Pattern PARAMETER =
      Pattern.compile("CAST\\(:([a-z]+) AS [A-Z]+\\)|:([a-z]+)");

  /** Of the statements with more than so many elements one is kept: servers keep them too. */
  private static final int FEW_ELEMENTS = 64;

  private final Connection connection;
  private final UnaryOperator<String> spelling;
  private final Map<String, Prepared> prepared = new HashMap<>();
  private String keyOfLong = "";

  private record Prepared(PreparedStatement statement, List<String> names) {}

  /**
   * On a connection.
   *
   * @param spelling makes of a statement what this database understands
   */
  NamedStatements(Connection connection, UnaryOperator<String> spelling) {
    this.connection = connection;
    this.spelling = spelling;
  }

  /** What is asked before a driver prepares a statement, which may be a request. */
  interface Before {
    void prepare() throws SQLException;
  }

  /**
   * A statement with its values.
   *
   * @param common values that any statement may use
   * @param keys whether it answers with generated keys, as {@link Statement} says it
   */
  PreparedStatement bound(
      String sql, Map<String, ?> values, Map<String, ?> common, int keys, Before before)
      throws SQLException {
    int elements = elements(values);
    // The others are the common case, and looked up without making a string.
    String key = elements == 0 ? sql : sql + elements;
    Prepared found = prepared.get(key);
    if (found == null) {
      before.prepare();
      found = prepare(sql, values, elements, keys);
      if (elements > FEW_ELEMENTS) {
        closeLong();
        keyOfLong = key;
      }
      prepared.put(key, found);
    }
    bind(found, sql, values, common, elements);
    return found.statement();
  }

  private void closeLong() throws SQLException {
    Prepared other = prepared.remove(keyOfLong);
    if (other != null) {
      other.statement().close();
    }
  }

  /**
   * How many elements a list is written with: a power of two, so that there are few statements to
   * prepare; 0 if there is no list.
   */
  private static int elements(Map<String, ?> values) {
    int longest = 0;
    for (Object value : values.values()) {
      if (value instanceof List<?> list) {
        longest = Math.max(longest, Math.max(1, list.size()));
      }
    }
    return longest == 0 ? 0 : Integer.highestOneBit(longest * 2 - 1);
  }

  private static void bind(
      Prepared to, String sql, Map<String, ?> values, Map<String, ?> common, int elements)
      throws SQLException {
    int index = 1;
    for (String name : to.names()) {
      Object value = values.containsKey(name) ? values.get(name) : common.get(name);
      if (value == null) {
        throw new IllegalArgumentException("no value for " + name + " in " + sql);
      }
      if (value instanceof List<?> list) {
        for (int i = 0; i < elements; i++) {
          to.statement().setObject(index++, list.get(Math.min(i, list.size() - 1)));
        }
      } else {
        to.statement().setObject(index++, value);
      }
    }
  }

  private Prepared prepare(String sql, Map<String, ?> values, int elements, int keys)
      throws SQLException {
    List<String> names = new ArrayList<>();
    Matcher parameters = PARAMETER.matcher(spelling.apply(sql));
    String plain =
        parameters.replaceAll(
            found -> {
              String name = found.group(1) == null ? found.group(2) : found.group(1);
              names.add(name);
              String one = found.group().replace(":" + name, "?");
              return values.get(name) instanceof List
                  ? one + (", " + one).repeat(elements - 1)
                  : one;
            });
    PreparedStatement statement =
        keys == Statement.NO_GENERATED_KEYS
            ? connection.prepareStatement(plain)
            : connection.prepareStatement(plain, keys);
    return new Prepared(statement, names);
  }

  /** One without values, for what a server does not prepare. */
  Statement unprepared() throws SQLException {
    return connection.createStatement();
  }

  void close() throws SQLException {
    for (Prepared one : prepared.values()) {
      one.statement().close();
    }
    prepared.clear();
  }
}
