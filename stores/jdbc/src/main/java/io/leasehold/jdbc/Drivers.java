package io.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Connects by one driver, which is named: {@code DriverManager} would load every driver there is,
 * which takes as long as a short command.
 */
final class Drivers {
  /** For a driver that is not there. */
  private static final String NOT_THERE = "08001";

  private Drivers() {}

  /** Connects by the driver whose class has this name; see {@link #of}. */
  static Connection connect(String driver, String url, Properties properties) throws SQLException {
    return connect(of(driver), url, properties);
  }

  /** Connects. */
  static Connection connect(Driver driver, String url, Properties properties) throws SQLException {
    Connection connection = driver.connect(url, properties);
    if (connection == null) {
      throw new SQLException("the driver " + driver.getClass() + " does not know this URL");
    }
    return connection;
  }

  /** Whether a driver can read a URL. Some find out only when they connect. */
  static boolean canRead(Driver driver, String url, Properties properties) {
    try {
      driver.getPropertyInfo(url, properties);
      return driver.acceptsURL(url);
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }

  /**
   * A driver.
   *
   * @param name that of its class
   * @throws SQLException also if it is not on the class path: see {@link #isMissing}
   */
  static Driver of(String name) throws SQLException {
    try {
      return (Driver) type(name).getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw new SQLException("no class " + name, NOT_THERE, e);
    } catch (InvocationTargetException
        | InstantiationException
        | IllegalAccessException
        | NoSuchMethodException e) {
      throw new SQLException("the driver " + name + " cannot be used: " + e, e);
    }
  }

  /**
   * The application's own class path comes first: a container's libraries may not see its drivers.
   */
  private static Class<?> type(String name) throws ClassNotFoundException {
    ClassLoader applications = Thread.currentThread().getContextClassLoader();
    if (applications != null) {
      try {
        return Class.forName(name, true, applications);
      } catch (ClassNotFoundException e) {
        // It may be beside us.
      }
    }
    return Class.forName(name, true, Drivers.class.getClassLoader());
  }

  /** Whether a driver finds a class of ours by its name: a container's may not see us. */
  static boolean sees(String driver, Class<?> ours) {
    try {
      return Class.forName(ours.getName(), false, type(driver).getClassLoader()) == ours;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Whether the driver is not on the class path. */
  static boolean isMissing(SQLException e) {
    return e.getCause() instanceof ClassNotFoundException;
  }
}
