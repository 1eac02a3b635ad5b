package io.leasehold.peers;

import io.leasehold.testkit.contract.ClientSettings;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The way to H2. */
final class Databases {
  private Databases() {}

  /** A connection for each request, with its limit. */
  static JdbcTemplate behind(Wire wire, Server server, ClientSettings settings) {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL(
        Server.h2Url(wire.port(), ((Server.H2) server).name(), settings.requestTimeout()));
    return new JdbcTemplate(database);
  }
}
