package io.leasehold.servers;

import java.util.Locale;

/** How Java speaks to a {@link SqlServer}. */
public enum SqlDriver {
  /** MySQL Connector/J. */
  MYSQL(3306, 1000, "sslMode=DISABLED&allowPublicKeyRetrieval=true"),
  /** MariaDB Connector/J. */
  MARIADB(3306, 1000, "sslMode=disable&allowPublicKeyRetrieval=true"),
  /** The PostgreSQL JDBC driver. */
  POSTGRESQL(5432, 1, "sslmode=disable");

  private final int defaultPort;
  private final int second;
  private final String parameters;

  SqlDriver(int defaultPort, int second, String parameters) {
    this.defaultPort = defaultPort;
    this.second = second;
    this.parameters = parameters;
  }

  /** What follows {@code jdbc:} in its URLs. */
  public String scheme() {
    return name().toLowerCase(Locale.ROOT);
  }

  int defaultPort() {
    return defaultPort;
  }

  /** No TLS, and the passwords of MySQL without it. */
  String parameters() {
    return parameters;
  }

  /** A timeout in the unit of this driver. */
  String seconds(int seconds) {
    return String.valueOf(seconds * second);
  }
}
