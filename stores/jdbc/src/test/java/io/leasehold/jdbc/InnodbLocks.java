package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.SqlServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What InnoDB has locked, in words. */
final class InnodbLocks implements AutoCloseable {
  /**
   * A lock may be listed by the thread that waits for it; it belongs to the transaction. Which
   * transaction is whose is seen from the table's lock, which is always of its own thread.
   */
  private static final String LOCKS =
      """
      SELECT lock_type, index_name, lock_mode, lock_status, lock_data
      FROM performance_schema.data_locks
      WHERE engine_transaction_id IN (SELECT engine_transaction_id
        FROM performance_schema.data_locks JOIN performance_schema.threads USING (thread_id)
        WHERE lock_type = 'TABLE' AND processlist_id = ?)
      ORDER BY lock_type DESC, index_name = 'PRIMARY', lock_data LIKE 'supremum%',
        cast(lock_data AS SIGNED), lock_data, lock_mode
      """;

  private static final String WAITS = "**waits for** ";

  private final Connection administrator;

  InnodbLocks(SqlServer server) throws SQLException {
    administrator = server.connect();
  }

  /** Those that a client has or waits for: of the table, then of its indexes. */
  List<String> of(SqlClient client) throws SQLException {
    Map<String, List<String>> entries = new LinkedHashMap<>();
    try (PreparedStatement statement = administrator.prepareStatement(LOCKS)) {
      statement.setLong(1, client.id());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String waits = rows.getString("lock_status").equals("WAITING") ? WAITS : "";
          String data = String.valueOf(rows.getString("lock_data"));
          String entry = data.contains(",") ? "(" + data + ")" : data;
          entries.computeIfAbsent(waits + words(rows), kind -> new ArrayList<>()).add(entry);
        }
      }
    }
    List<String> locks = new ArrayList<>();
    entries.forEach(
        (kind, each) ->
            locks.add(
                kind.replace("#", String.join(", ", each))
                    .replace("(s)", each.size() == 1 ? "" : "s")));
    return locks;
  }

  /** What kind of lock it is, with # for its entries. */
  private static String words(ResultSet row) throws SQLException {
    String mode = row.getString("lock_mode");
    if (row.getString("lock_type").equals("TABLE")) {
      return "table `" + mode + "`";
    }
    boolean end = row.getString("lock_data").startsWith("supremum");
    String gap = end ? "gap at the end" : "gap(s) before #";
    String what =
        switch (mode.substring(1)) {
          case ",REC_NOT_GAP" -> "row(s) #";
          case "" -> end ? gap : "row(s) # with gap(s) before";
          case ",GAP" -> gap;
          case ",INSERT_INTENTION", ",GAP,INSERT_INTENTION" -> "an insert into the " + gap;
          default -> throw new AssertionError("no words for " + mode);
        };
    String shared = mode.startsWith("S") ? "shared " : "";
    return "`" + row.getString("index_name") + "` " + shared + what;
  }

  /** Returns once a client waits for a lock. */
  void awaitWait(SqlClient client) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(of(client)).anyMatch(lock -> lock.startsWith(WAITS)));
  }

  @Override
  public void close() throws SQLException {
    administrator.close();
  }
}
