package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** MariaDB 10.6 or newer. */
final class MariaDbDialect extends MySqlDialect {
  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public String driver() {
    return "org.mariadb.jdbc:mariadb-java-client";
  }

  @Override
  public String driverClass() {
    return "org.mariadb.jdbc.Driver";
  }

  @Override
  public String tlsAdvice() {
    return "see the parameter sslMode of the URL: disable, trust, verify-ca or verify-full";
  }

  @Override
  String idleLimit() {
    return "SET SESSION wait_timeout = 30, SESSION idle_transaction_timeout = 5";
  }

  @Override
  public List<String> lend(Session session) throws SQLException {
    List<String> settings = new ArrayList<>(super.lend(session));
    settings.add(setting(session, "idle_transaction_timeout", 5));
    return settings;
  }

  @Override
  List<Finding> replication(Session session) throws SQLException {
    List<Finding> found = new ArrayList<>(super.replication(session));
    boolean isGalera =
        session
            .query("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", Map.of(), row -> row.getString(2))
            .contains("ON");
    if (isGalera) {
      found.add(
          new Finding(
              Level.WARNING,
              "Galera",
              "each node has a clock of its own, and a lease ends early or late by their difference;"
                  + " let all clients use one node, and the data refuse lower tokens"));
    }
    return found;
  }
}
