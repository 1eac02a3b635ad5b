package io.leasehold.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.SqlServer;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What README.md promises, with two instances of which one is killed. */
class OrderServiceTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static SqlServer postgresql;
  private static RedisServer redis;
  private static String database;
  private static Instance one;
  private static Instance two;

  @BeforeAll
  static void start() throws Exception {
    postgresql = SqlServer.of(SqlServer.Kind.POSTGRESQL_15).start();
    redis = RedisServer.of(RedisServer.Kind.REDIS_7_0).start();
    database = postgresql.newDatabase();
    Start.createTables(database);
    one = Instance.start();
    two = Instance.start();
    patiently().until(() -> one.isUp() && two.isUp());
  }

  @AfterAll
  static void stop() {
    for (Instance each : new Instance[] {one, two}) {
      if (each != null) {
        each.kill();
      }
    }
    redis.close();
    postgresql.close();
  }

  /** In this order: the last part kills an instance. */
  @Test
  void thePageIsRight() throws Exception {
    moneyMovesOnce();
    aLaterTokenKeepsMoneyFromMoving();
    theReportIsMadeOnce();
    theJobOfAKilledInstanceIsTakenOver();
  }

  private static void moneyMovesOnce() throws Exception {
    String payment = "/orders/7/payment?account=1&cents=500";
    HttpResponse<String> first = one.post(payment);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).contains("\"order\":7").contains("\"paidBy\":\"" + one.port + "\"");
    assertThat(two.post(payment).body()).isEqualTo(first.body());
    assertThat(two.get("/accounts/1")).contains("\"cents\":99500");
    assertThat(two.post("/orders/7/payment?account=1&cents=400").statusCode()).isEqualTo(500);
  }

  private static void aLaterTokenKeepsMoneyFromMoving() throws Exception {
    long latest = number("select token from account where id = 1");
    assertThat(latest).isPositive();
    execute("update account set token = 9223372036854775807 where id = 1");
    assertThat(one.post("/orders/8/payment?account=1&cents=500").statusCode()).isEqualTo(500);
    execute("update account set token = " + latest + " where id = 1");
    assertThat(one.get("/accounts/1")).contains("\"cents\":99500");
    // Nothing is left of the call that was refused
    assertThat(one.post("/orders/8/payment?account=1&cents=500").statusCode()).isEqualTo(200);
  }

  private static void theReportIsMadeOnce() throws Exception {
    long begin = System.nanoTime();
    long before = number("select count(*) from report");
    patiently().until(() -> number("select count(*) from report") >= before + 4);
    long made = number("select count(*) from report") - before;
    // Two instances for themselves would make twice as many: minHold keeps grants 0.9 s apart
    assertThat(made).isLessThanOrEqualTo((System.nanoTime() - begin) / 900_000_000 + 2);
  }

  private static void theJobOfAKilledInstanceIsTakenOver() throws Exception {
    for (int order = 10; order < 40; order++) {
      assertThat(two.post("/orders/" + order + "/payment?account=2&cents=1").statusCode())
          .isEqualTo(200);
    }
    patiently().until(() -> one.ships() || two.ships());
    boolean firstShips = one.ships();
    Instance dies = firstShips ? one : two;
    Instance goesOn = firstShips ? two : one;
    dies.kill();
    patiently().until(() -> number("select count(*) from orders where shipped_by is null") == 0);
    assertThat(number("select count(*) from orders where shipped_by = '" + goesOn.port + "'"))
        .isPositive();
    assertThat(goesOn.get("/orders")).contains("\"shipped_by\":\"" + goesOn.port + "\"");
    assertThat(goesOn.get("/actuator/prometheus"))
        .contains("leasehold_acquire_seconds_count")
        .contains("leasehold_held");
  }

  private static ConditionFactory patiently() {
    return await().atMost(PATIENCE).ignoreExceptions();
  }

  private static long number(String query) throws Exception {
    try (Connection connection = DriverManager.getConnection(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A process of the service. */
  private record Instance(int port, Process process) {
    static Instance start() throws Exception {
      int port;
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      return new Instance(port, Start.instance(port, database, redis.url()));
    }

    boolean isUp() throws Exception {
      assertThat(process.isAlive()).isTrue();
      return get("/actuator/health").contains("UP");
    }

    /** Whether the holder that the page tells to look at is this process. */
    boolean ships() throws Exception {
      return (process.isAlive() ? get("/actuator/locks/shipping") : "")
          .contains("/" + process.pid() + "/");
    }

    String get(String path) throws Exception {
      return HTTP.send(request(path).build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    HttpResponse<String> post(String path) throws Exception {
      return HTTP.send(
          request(path).POST(HttpRequest.BodyPublishers.noBody()).build(),
          HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
      return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    /** As {@code kill -9}. */
    void kill() {
      process.destroyForcibly().onExit().join();
    }
  }
}
