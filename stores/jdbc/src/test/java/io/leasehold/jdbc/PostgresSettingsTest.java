package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * Where the settings of our connections come from: what is set by a statement a pooler passes on.
 */
class PostgresSettingsTest extends ServerTest {
  private static final String SETTINGS =
      "SELECT name, setting || ' by ' || source FROM pg_settings WHERE name IN ('lock_timeout',"
          + " 'idle_in_transaction_session_timeout', 'default_transaction_isolation', 'work_mem')";

  @Test
  void comeWithTheGreeting() throws Exception {
    Queue<Connection> opened = new ConcurrentLinkedQueue<>();
    StatementHook hook =
        new StatementHook() {
          @Override
          public void opened(Connection connection) {
            opened.add(connection);
          }

          @Override
          public void before(String sql) {}

          @Override
          public void after(String sql) {}
        };
    String url = SharedServers.of(Kind.POSTGRESQL_15).jdbcUrl();
    Engine client = client(hooked(url + "&options=-c%20work_mem%3D128kB", hook), how -> how);
    client.lock("a").acquire().release();
    Map<String, String> found = new HashMap<>();
    try (Statement statement = opened.remove().createStatement();
        ResultSet rows = statement.executeQuery(SETTINGS)) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
    }
    assertThat(found)
        .containsOnly(
            Map.entry("lock_timeout", "1000 by client"),
            Map.entry("idle_in_transaction_session_timeout", "5000 by client"),
            Map.entry("default_transaction_isolation", "read committed by client"),
            Map.entry("work_mem", "128 by client"));
  }
}
