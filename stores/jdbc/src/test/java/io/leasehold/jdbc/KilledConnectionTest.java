package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An administrator ends the connections of a client, under each statement in turn. */
class KilledConnectionTest extends LossTest {
  private static final String LISTENING =
      "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";

  /**
   * To the client it is a request that is cut before the server has it, which {@link LostReplyTest}
   * does to every act; only the server's words differ, and they are the same for every statement.
   * So one act is enough: the one with the most kinds of statements.
   */
  @ParameterizedTest
  @EnumSource
  void underEachStatement(Kind kind) throws Exception {
    int points = loseEach(kind, Act.FAIR_WAITER, new Killer(SharedServers.of(kind)));
    assertThat(points).isGreaterThanOrEqualTo(Act.FAIR_WAITER.requests - 2);
  }

  /** Ends all connections of a client before it sends a statement. */
  private final class Killer implements LossTest.Loss, StatementHook {
    private static final int NEVER = -1;

    private final SqlServer server;
    private final Queue<Long> connections = new ConcurrentLinkedQueue<>();
    private final AtomicInteger left = new AtomicInteger(NEVER);

    Killer(SqlServer server) {
      this.server = server;
    }

    @Override
    public Engine client(LockListener listener) {
      connections.clear();
      return KilledConnectionTest.this.client(
          hooked(server.jdbcUrl(), this), how -> how.listener(listener));
    }

    @Override
    public void at(int request) {
      left.set(request);
    }

    @Override
    public boolean end() {
      return left.getAndSet(NEVER) < 0;
    }

    @Override
    public void opened(Connection connection) throws SQLException {
      String sql = isMysql(server) ? "SELECT CONNECTION_ID()" : "SELECT pg_backend_pid()";
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(sql)) {
        row.next();
        connections.add(row.getLong(1));
      }
    }

    @Override
    public void before(String sql) {
      if (left.getAndUpdate(n -> n < 0 ? n : n - 1) == 0) {
        connections.forEach(id -> kill(server, id));
      }
    }

    @Override
    public void after(String sql) {}
  }

  /** Returns once it is gone, or was gone before. */
  private static void kill(SqlServer server, long id) {
    if (!isMysql(server)) {
      execute(server, "SELECT pg_terminate_backend(" + id + ", 10000)");
      return;
    }
    String seen = "SELECT id FROM information_schema.processlist WHERE id = " + id;
    if (!ask(server, seen).isEmpty()) {
      execute(server, "KILL " + id);
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .atMost(PATIENCE)
          .until(() -> ask(server, seen).isEmpty());
    }
  }

  @Test
  void whoDoesNotHearOfAReleaseIsInByThePoll() throws Exception {
    SqlServer server = SharedServers.of(Kind.POSTGRESQL_15);
    Engine holder = client(server);
    for (int i = 0; i < 5; i++) {
      Lease held = holder.lock("a").acquire();
      try (Engine client = client(server)) {
        CompletableFuture<Lease> waiter = beginToWait(client, "a", holder);
        await().atMost(PATIENCE).until(() -> ask(server, LISTENING).size() == 1);
        kill(server, Long.parseLong(ask(server, LISTENING).get(0)));
        long begin = System.nanoTime();
        held.release();
        served(waiter).release();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
      }
    }
  }
}
