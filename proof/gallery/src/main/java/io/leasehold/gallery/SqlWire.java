package io.leasehold.gallery;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A connection that records each statement with its outcome, and holds back the one before which
 * the client is to stand still.
 */
final class SqlWire {
  private final Client client;
  private final Connection connection;

  private SqlWire(Client client, Connection connection) {
    this.client = client;
    this.connection = connection;
  }

  static Connection connect(Client client, String url) throws SQLException {
    SqlWire wire = new SqlWire(client, DriverManager.getConnection(url));
    return proxy(Connection.class, (proxy, method, arguments) -> wire.call(method, arguments));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    Object proxy =
        Proxy.newProxyInstance(SqlWire.class.getClassLoader(), new Class<?>[] {type}, handler);
    return type.cast(proxy);
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    return switch (method.getName()) {
      case "prepareStatement" -> prepare((String) arguments[0]);
      case "commit", "rollback" ->
          sent(
              method.getName().toUpperCase(java.util.Locale.ROOT),
              () -> invoke(connection, method, arguments));
      default -> invoke(connection, method, arguments);
    };
  }

  private PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(
            sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
    Map<Integer, Object> values = new TreeMap<>();
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          if (method.getName().startsWith("set") && arguments.length == 2) {
            values.put((Integer) arguments[0], arguments[1]);
          }
          return method.getName().startsWith("execute")
              ? sent(filledIn(sql, values), () -> invoke(statement, method, arguments))
              : invoke(statement, method, arguments);
        });
  }

  private static String filledIn(String sql, Map<Integer, Object> values) {
    String text = sql;
    for (Object value : values.values()) {
      String shown = value instanceof String string ? "'" + string + "'" : value.toString();
      text = text.replaceFirst("\\?", java.util.regex.Matcher.quoteReplacement(shown));
    }
    return text;
  }

  private Object sent(String text, Work work) throws Throwable {
    if (!client.pace().before(text)) {
      connection.abort(Runnable::run);
      throw new SQLException("the client was killed");
    }
    try {
      Object outcome = work.run();
      client.reports(outcome == null ? text : text + " → " + words(outcome));
      return outcome;
    } catch (SQLException e) {
      client.reports(text + " → error " + e.getErrorCode());
      throw e;
    }
  }

  private static String words(Object outcome) throws SQLException {
    if (outcome instanceof ResultSet rows) {
      List<String> found = rows(rows);
      rows.beforeFirst();
      return found.isEmpty() ? "no row" : String.join("; ", found);
    }
    return outcome.equals(1) ? "1 row" : outcome + " rows";
  }

  /** Each row as its values. */
  static List<String> rows(ResultSet rows) throws SQLException {
    List<String> found = new ArrayList<>();
    while (rows.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        values.add(String.valueOf(rows.getString(i)));
      }
      found.add(String.join(", ", values));
    }
    return found;
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private interface Work {
    Object run() throws Throwable;
  }
}
