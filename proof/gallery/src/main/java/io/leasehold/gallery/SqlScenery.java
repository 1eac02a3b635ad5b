package io.leasehold.gallery;

import static org.awaitility.Awaitility.await;

import io.leasehold.servers.SqlServer;
import io.leasehold.testkit.Framing;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A database in a play: MySQL, as it is installed but for its clock. */
final class SqlScenery implements Scenery {
  private static final String WAITS =
      "SELECT count(DISTINCT requesting_engine_transaction_id)"
          + " FROM performance_schema.data_lock_waits";

  private final Stage stage;
  private final SqlServer server;
  private final String url;

  SqlScenery(Stage stage, SqlServer server) {
    this.stage = stage;
    this.server = server;
    this.url = server.newDatabase();
  }

  /** A connection of this client, recorded, in auto-commit mode and REPEATABLE READ. */
  Connection connect(Client client) throws SQLException {
    return stage.closes(SqlWire.connect(client, url));
  }

  /** One that is not recorded. */
  Connection connect() throws SQLException {
    return stage.closes(DriverManager.getConnection(url));
  }

  @Override
  public LeaseholdClient leasehold(String name) {
    String port = ":" + server.port() + "/";
    return stage.closes(
        new LeaseholdClient(
            stage,
            stage.client(name),
            Framing.NONE,
            server.port(),
            proxy -> url.replace(port, ":" + proxy + "/") + "&ddl=create"));
  }

  @Override
  public void passes(Duration time) {
    server.stepClock(time);
    stage.world(Words.of(time) + " pass");
  }

  /** As the administrator, not recorded. */
  void run(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** As the administrator; shown as what the data looks like after. */
  List<String> shows(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = SqlWire.rows(rows);
      stage.data("mysql> " + sql);
      if (found.isEmpty()) {
        stage.data("Empty set");
      }
      found.forEach(stage::data);
      return found;
    }
  }

  /** Returns once a client waits for a row; it is awake again when the script wakes it. */
  void awaitWaiter(Client client, String whose) throws SQLException {
    awaitWaiters(1, client, whose);
  }

  /** The same where others wait already: so many in all. */
  void awaitWaiters(int number, Client client, String whose) throws SQLException {
    client.waits("waits for " + whose);
    try (Connection administrator = server.connect();
        Statement statement = administrator.createStatement()) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofSeconds(30))
          .until(() -> waiting(statement) >= number);
    }
  }

  private static int waiting(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery(WAITS)) {
      return rows.next() ? rows.getInt(1) : 0;
    }
  }
}
