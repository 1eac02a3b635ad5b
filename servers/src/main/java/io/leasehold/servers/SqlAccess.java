package io.leasehold.servers;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Properties;
import java.util.StringJoiner;

/**
 * How to reach a database.
 *
 * @param parameters of the URL, beside user and password
 */
record SqlAccess(
    SqlDriver driver,
    String host,
    int port,
    String database,
    String user,
    String password,
    String parameters) {
  /** To a server on this machine, as the account of the tests. */
  static SqlAccess local(SqlDriver driver, int port) {
    return new SqlAccess(
        driver,
        "127.0.0.1",
        port,
        SqlEngine.DATABASE,
        SqlEngine.USER,
        SqlEngine.PASSWORD,
        driver.parameters());
  }

  /** To a server that another process started. */
  static SqlAccess given(String jdbcUrl) {
    URI url = URI.create(jdbcUrl.replaceFirst("^jdbc:", ""));
    SqlDriver driver =
        Arrays.stream(SqlDriver.values())
            .filter(each -> each.scheme().equals(url.getScheme()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no such driver: " + url.getScheme()));
    String user = "";
    String password = "";
    StringJoiner parameters = new StringJoiner("&");
    for (String each : (url.getRawQuery() == null ? "" : url.getRawQuery()).split("&", -1)) {
      if (each.startsWith("user=")) {
        user = decode(each);
      } else if (each.startsWith("password=")) {
        password = decode(each);
      } else {
        parameters.add(each);
      }
    }
    return new SqlAccess(
        driver,
        url.getHost(),
        url.getPort() < 0 ? driver.defaultPort() : url.getPort(),
        url.getPath().substring(1),
        user,
        password,
        parameters.toString());
  }

  SqlAccess asAdministrator() {
    return new SqlAccess(
        driver, host, port, database, SqlEngine.ADMINISTRATOR, password, parameters);
  }

  SqlAccess by(int proxyPort) {
    return new SqlAccess(driver, "127.0.0.1", proxyPort, database, user, password, parameters);
  }

  SqlAccess in(String newDatabase) {
    return new SqlAccess(driver, host, port, newDatabase, user, password, parameters);
  }

  SqlAccess with(SqlDriver other) {
    return other == driver
        ? this
        : new SqlAccess(other, host, port, database, user, password, other.parameters());
  }

  String url() {
    String login = "?user=" + encode(user) + "&password=" + encode(password);
    String rest = parameters.isEmpty() ? "" : "&" + parameters;
    return "jdbc:" + driver.scheme() + "://" + host + ":" + port + "/" + database + login + rest;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Whether it lets this account in; it has a few seconds to say so. */
  boolean answers() {
    Properties patience = new Properties();
    patience.setProperty("connectTimeout", driver.seconds(5));
    patience.setProperty("socketTimeout", driver.seconds(5));
    try (Connection connection = DriverManager.getConnection(url(), patience)) {
      return connection.isValid(5);
    } catch (SQLException notYet) {
      return false;
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decode(String parameter) {
    String text = parameter.substring(parameter.indexOf('=') + 1);
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
